import { runInDurableObject } from 'cloudflare:test'
import { micros } from '../../worker/domain/money/money.ts'
import type { Delivery, Outcome } from '../../worker/domain/webhooks/deliveries.ts'
import { type Account, admission, finishImport, importRequest, newAccount } from './account.ts'

/** Accounts whose jobs have ended with somebody waiting to hear of it, and what the queue does for them. */
export const url = 'https://receiver.example/hook'
export const answered = (status: number, retryAfterMs: number | null = null): Outcome => ({
  status,
  answer: `said ${status}`,
  mishap: status < 300 ? null : 'REFUSED',
  retryAfterMs,
})

export const finished = async ({ webhookUrl = url as string | null } = {}) => {
  const { accountId, account, pass } = await newAccount()
  const jobId = await finishAnother(account, pass, webhookUrl)
  return { accountId, account, pass: { ...pass, rateClass: 'general' as const }, jobId }
}

type Pass = Awaited<ReturnType<typeof newAccount>>['pass']

export const finishAnother = async (account: Account, pass: Pass, webhookUrl: string | null = url): Promise<string> => {
  const jobId = await admitted(account, pass, webhookUrl)
  await finishImport(account, jobId, 1_000)
  return jobId
}

export const admitted = async (account: Account, pass: Pass, webhookUrl: string | null = url): Promise<string> => {
  const { result } = await account.admit(pass, admission(micros(10_000), { request: importRequest({ webhookUrl }) }))
  if (!result.ok) throw new Error(result.refusal.code)
  return result.value.jobId
}

export const log = async (account: Account, pass: Parameters<Account['deliveries']>[0]): Promise<Delivery[]> => {
  const { result } = await account.deliveries(pass, { jobId: null, state: null }, { before: null, limit: 100 })
  if (!result.ok) throw new Error(result.refusal.code)
  return result.value
}

export const onlyDelivery = async (account: Account, pass: Parameters<Account['deliveries']>[0]): Promise<Delivery> => {
  const [delivery, ...others] = await log(account, pass)
  if (!delivery || others.length > 0) throw new Error('there is not exactly one delivery')
  return delivery
}

/** Makes an attempt with the given outcome, as the queue's consumer would. */
export const attempt = async (account: Account, id: string, outcome: Outcome) => {
  const claimed = await account.claimDelivery(id)
  if (!claimed) throw new Error('nothing to claim')
  return account.reportDelivery({ id, lease: claimed.lease, outcome })
}

/** The clock of the runtime is real, so what is awaited is made due. */
export const makeDue = (account: Account, id: string) =>
  runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec('UPDATE deliveries SET next_at = 1 WHERE id = ? AND next_at IS NOT NULL', id)
    storage.sql.exec('UPDATE deliveries SET lease_until = 1 WHERE id = ? AND lease IS NOT NULL', id)
    storage.sql.exec("UPDATE schedule SET at = 1 WHERE kind = 'delivery' AND ref = ?", id)
  })

export const lettersSoFar = (account: Account) =>
  runInDurableObject(
    account,
    (_, { storage }) =>
      storage.sql.exec<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'").one().seq,
  )
