import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { AccountObject } from '../../../worker/index.ts'
import { admission, fetchedFile, fetchedImport } from '../support/account.ts'
import { MB, newBatchAccount, price } from '../support/account-batches.ts'
import { nextMillisecond } from '../support/clock.ts'

interface Use {
  rowsRead: number
  rowsWritten: number
  ms: number
}

/** What an act reads and writes in the account's database. The time is printed and not asserted. */
const measured = async (sql: SqlStorage, act: () => Promise<unknown>): Promise<Use> => {
  const cursors: SqlStorageCursor<never>[] = []
  const { exec } = sql
  sql.exec = ((...args: Parameters<SqlStorage['exec']>) => {
    const cursor = exec.apply(sql, args)
    cursors.push(cursor as SqlStorageCursor<never>)
    return cursor
  }) as SqlStorage['exec']
  const from = performance.now()
  await act()
  const ms = Math.round((performance.now() - from) * 100) / 100
  Reflect.deleteProperty(sql, 'exec')
  const sum = (rows: 'rowsRead' | 'rowsWritten') => cursors.reduce((total, cursor) => total + cursor[rows], 0)
  return { rowsRead: sum('rowsRead'), rowsWritten: sum('rowsWritten'), ms }
}

/** The life of a single import, and polls of it, in an account with so many items that wait. */
const useWith = async (batches: number, itemsOfEach: number): Promise<Record<string, Use>> => {
  // Two places, of which an item takes one.
  const { account, identity, start, check, live } = await newBatchAccount()
  const ids: string[] = []
  for (let count = 0; count < batches; count++) ids.push(await start(itemsOfEach))
  await check(ids[0] ?? '')
  nextMillisecond()
  const [item] = await live(ids[0] ?? '')
  return runInDurableObject(account, async (object: AccountObject, { storage: { sql } }) => {
    const read = { ...identity, rateClass: 'status' as const }
    /** The alarm first sends what earlier acts have left to send. */
    const use = (act: () => Promise<unknown>) => object.alarm().then(() => measured(sql, act))
    let jobId = ''
    const admit = await use(async () => {
      const { result } = await object.admit(identity, admission(price))
      if (result.ok) jobId = result.value.jobId
    })
    const poll = await use(() => object.read(read, jobId, 'import'))
    const claim = async (id: string) => ({ jobId: id, lease: (await object.claim(id, 'fetch'))?.lease ?? '' })
    const lease = await claim(jobId)
    const report = { stage: 'downloading', percent: null, bytesPerSecond: null, downloadedBytes: MB } as const
    const progress = await use(() => object.reportProgress(lease, { ...report, totalBytes: 2 * MB }))
    const done = fetchedFile(fetchedImport(MB))
    const end = await use(() => object.finishFetch(lease, done))
    const leaseOfItem = await claim(item?.jobId ?? '')
    const endOfItemAndStartOfNext = await use(() => object.finishFetch(leaseOfItem, done))
    const pollOfBatch = await use(() => object.readBatch(read, ids.at(-1) ?? ''))
    return { admit, poll, progress, end, endOfItemAndStartOfNext, pollOfBatch }
  })
}

test('10,000 items that wait slow neither polls nor the acts of other jobs', async () => {
  const one = await useWith(1, 5)
  const many = await useWith(20, 500)
  console.info('with 5 items that wait:', JSON.stringify(one))
  console.info('with 10,000 items that wait:', JSON.stringify(many))
  // The key is in memory.
  expect(many.poll).toMatchObject({ rowsRead: 1, rowsWritten: 0 })
  for (const [act, { rowsRead, rowsWritten }] of Object.entries(many)) {
    expect([act, rowsRead, rowsWritten]).toEqual([act, one[act]?.rowsRead, one[act]?.rowsWritten])
  }
})

test('an item writes three rows besides those of its job', async () => {
  const { account, start, finishAll } = await newBatchAccount()
  const written: Record<string, number> = {}
  await runInDurableObject(account, (_, { storage: { sql } }) => {
    const { exec } = sql
    sql.exec = ((...args: Parameters<SqlStorage['exec']>) => {
      const cursor = exec.apply(sql, args)
      const table = /^(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)/.exec(args[0])?.[1]
      if (table) written[table] = (written[table] ?? 0) + cursor.rowsWritten
      return cursor
    }) as SqlStorage['exec']
  })
  const items = 20
  await finishAll(await start(items))
  console.info(`rows of a batch of ${items} items, by table:`, JSON.stringify(written))
  // One when the item is added, one when it ends; the batch's row when it is added, starts, and at each end of an item.
  expect(written).toMatchObject({ batch_items: 2 * items, batches: items + 2 })
  // A job that ends frees the place of the next one in the same act. The turn of an item is sent, claimed and checked.
  expect(written.account).toBeLessThan(5 * items)
})
