import { runInDurableObject } from 'cloudflare:test'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '../../../domain/ids.ts'
import type { AccountEvent } from '../../../worker/account/calls.ts'
import { EventLog } from '../../../worker/account/events/event-log.ts'
import { admission, answerOf, finishImport, newAccount } from '../support/account.ts'
import { price } from '../support/account-batches.ts'
import { addStartedJob } from '../support/tables.ts'

/**
 * Objects of one class may share 128 MB, so each keeps a few megabytes in memory and reads the rest from its rows again. This
 * counts the statements from now on.
 */
const countStatements = (sql: SqlStorage): (() => number) => {
  const exec = vi.spyOn(sql, 'exec')
  onTestFinished(() => exec.mockRestore())
  return () => exec.mock.calls.length
}

test('of 20,000 events the newest are in memory, and the others are read from rows, in order, many at once', async () => {
  const { account } = await newAccount()
  await account.wake()
  await runInDurableObject(account, (_, { storage: { sql } }) => {
    const log = new EventLog(sql)
    const now = Date.now()
    const numbers: number[] = []
    log.after(log.last, 50, now)
    for (let count = 0; count < 20_000; count++) {
      const { number, subjectId } = log.add('job.started', newId('import', now), now)
      addStartedJob(sql, subjectId, number)
      numbers.push(number)
      log.publish(now)
    }
    const statements = countStatements(sql)
    const isInMemory = (position: number): boolean => {
      const before = statements()
      expect(log.after(numbers[position] ?? 0, 1, now)).toMatchObject([{ number: numbers[position + 1] }])
      return statements() === before
    }
    const inMemory = numbers.length - numbers.findLastIndex((_, position) => position < 19_999 && !isInMemory(position))
    expect(inMemory).toBeGreaterThan(4_000)
    // Some 125 bytes each.
    expect(inMemory).toBeLessThan(16_000)

    const before = statements()
    // Two streams that are far behind, and far from each other.
    const readers = [0, 5_000].map((position) => ({
      position,
      last: (numbers[position] ?? 0) - 1,
      read: [] as number[],
    }))
    while (readers.some(({ last }) => last !== numbers.at(-1))) {
      for (const reader of readers) {
        const page = log.after(reader.last, 50, now)
        reader.read.push(...page.map(({ number }) => number))
        reader.last = reader.read.at(-1) ?? 0
      }
    }
    for (const { position, read } of readers) expect(read).toEqual(numbers.slice(position))
    // Imports, transcriptions and batches, for each list.
    expect(statements() - before).toBeLessThanOrEqual(2 * 3 * 12)
  })
})

const RESULT = { note: 'long '.repeat(20_000) }

const finished = async (count: number, changes = {}) => {
  const { account, identity } = await newAccount()
  const jobIds: string[] = []
  for (let each = 0; each < count; each++) {
    const { jobId } = answerOf(await account.admit(identity, admission(price)))
    await finishImport(account, jobId, 1_000, changes)
    jobIds.push(jobId)
  }
  return { account, identity, jobIds }
}

test.each([
  ['with short results all stay', {}, 0],
  ['with results of 100 KB nine stay', RESULT, 31],
])('of 40 jobs that were read, those %s in memory', async (_, changes, expected) => {
  const { account, identity, jobIds } = await finished(40, changes)
  await runInDurableObject(account, async (object, { storage: { sql } }) => {
    const readAll = async (ids: string[]) => {
      for (const jobId of ids) {
        const { result } = await object.read({ ...identity, rateClass: 'status' }, jobId, 'import')
        expect(result).toMatchObject({ ok: true, value: { job: { id: jobId, result: changes } } })
      }
    }
    await readAll(jobIds)
    const statements = countStatements(sql)
    await readAll(jobIds.toReversed())
    expect(statements()).toBe(expected)
  })
})

test('a page of events has fewer of them if their jobs are large, and none is missing', async () => {
  const { account, identity, jobIds } = await finished(25, RESULT)
  const pages: AccountEvent[][] = []
  for (let last = 0; ; ) {
    const page = await account.eventsAfter(identity.keyHash, 'reader', last)
    if (!page || page.last === last) break
    pages.push(structuredClone(page.events) as AccountEvent[])
    last = page.last
  }
  const types = ['job.started', 'import.completed']
  const told = pages.flat().map(({ type, job }) => [type, job?.id])
  expect(told).toEqual(jobIds.flatMap((jobId) => types.map((type) => [type, jobId])))
  expect(pages.length).toBeGreaterThan(2)
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(1_200_000)
})
