import type { BatchItem, ItemState } from '../../../domain/batches/batch.ts'
import { type Micros, micros } from '../../../domain/money/money.ts'
import type { BatchAdmission, RequestIdentity } from '../../../worker/account/calls.ts'
import { type Account, answerOf, batchAdmission, finishImport, newAccount } from './account.ts'
import { asOperator } from './caller.ts'

export const price = micros(10_000)
export const MB = 1_000_000

/** An account of a test, with the calls of a caller and of the queue's consumer. */
export const newBatchAccount = async (credit?: Micros, imports = 2) => {
  const { accountId, account, identity } = await newAccount(credit)
  const change = (changes: object) => asOperator('PATCH', `/admin/accounts/${accountId}`, changes)
  if (imports !== 2) await change({ limits: { concurrentJobs: { import: imports } } })
  return { accountId, account, identity, change, ...callsOf(account, identity) }
}

const callsOf = (account: Account, identity: RequestIdentity) => {
  const read = { ...identity, rateClass: 'status' as const }
  const start = async (count: number, changes: Partial<BatchAdmission> = {}): Promise<string> =>
    answerOf(await account.admitBatch(identity, batchAdmission(count, changes))).batchId
  /** The batch, or the code of its refusal. */
  const retry = async (batchId: string): Promise<string> => {
    const { result } = await account.retryBatch(identity, batchId, { idempotency: null, origin: null })
    return result.ok ? result.value.batchId : result.refusal.code
  }
  const batch = async (batchId: string) => answerOf(await account.readBatch(read, batchId)).batch
  const items = async (batchId: string, state: ItemState | null = null) =>
    answerOf(await account.batchItems(read, batchId, { state }, { after: null, limit: 500 })) as BatchItem[]
  const claimItem = async (batchId: string, index: number) => {
    const task = await account.claimItem(batchId, index)
    if (!task) throw new Error(`item ${index} has no turn`)
    return task
  }
  const claimListing = async (batchId: string) => {
    const task = await account.claimListing(batchId)
    if (!task) throw new Error('the playlist has no turn')
    return task
  }
  /** Checks the items whose turn has come, and returns their indexes. */
  const check = async (batchId: string, hold: Micros = price): Promise<number[]> => {
    const checked: number[] = []
    for (const { index } of await items(batchId, 'waiting')) {
      const task = await account.claimItem(batchId, index)
      if (task && (await account.admitItem(task, { announcedBytes: hold * 100, diskBytes: null, reuseKey: 'a key' })))
        checked.push(index)
    }
    return checked
  }
  const states = async (batchId: string): Promise<string> => (await items(batchId)).map(({ state }) => state).join(' ')
  const live = async (batchId: string): Promise<BatchItem[]> => [
    ...(await items(batchId, 'queued')),
    ...(await items(batchId, 'running')),
  ]
  /** Completes the items that run, and returns their indexes. */
  const finish = async (batchId: string, bytes = MB): Promise<number[]> => {
    const running = await live(batchId)
    for (const { jobId } of running) await finishImport(account, jobId ?? '', bytes)
    return running.map(({ index }) => index)
  }
  /** Until nothing of it is left. */
  const finishAll = async (batchId: string): Promise<void> => {
    for (let rounds = 0; (await batch(batchId)).completedAt === null; rounds++) {
      if (rounds > 1_000) throw new Error('the batch does not end')
      await check(batchId)
      await finish(batchId)
    }
  }
  const money = async () => {
    const { balance, held } = answerOf(await account.summary({ ...identity, rateClass: 'general' }))
    return { balance, held }
  }
  return { start, retry, batch, items, claimItem, claimListing, check, states, live, finish, finishAll, money }
}
