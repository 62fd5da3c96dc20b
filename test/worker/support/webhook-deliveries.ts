import { micros } from '../../../domain/money/money.ts'
import { findDelivery } from '../../../worker/account/webhooks/delivery-rows.ts'
import type { AttemptOutcome, Delivery } from '../../../worker/account/webhooks/webhook-delivery.ts'
import { type Account, admission, answerOf, finishImport, importRequest, newAccount } from './account.ts'
import { skip } from './clock.ts'
import { inTables } from './tables.ts'

/** Accounts with ended jobs and their webhook deliveries, and the work of the queue consumer. */
export const url = 'https://receiver.example/hook'
export const answered = (status: number, retryAfterMs: number | null = null): AttemptOutcome => ({
  status,
  responseBody: `said ${status}`,
  attemptError: status < 300 ? null : 'REFUSED',
  retryAfterMs,
})

export const finished = async ({ webhookUrl = url as string | null } = {}) => {
  const { accountId, account, identity: importer } = await newAccount()
  const identity = { ...importer, rateClass: 'general' as const }
  const jobId = await finishAnother(account, importer, webhookUrl)
  const delivery = () => onlyDelivery(account, identity)
  const id = webhookUrl === null ? '' : (await delivery()).id
  return { accountId, account, identity, jobId, id, delivery }
}

type Identity = Awaited<ReturnType<typeof newAccount>>['identity']

export const finishAnother = async (
  account: Account,
  identity: Identity,
  webhookUrl: string | null = url,
): Promise<string> => {
  const jobId = await admitted(account, identity, webhookUrl)
  await finishImport(account, jobId, 1_000)
  return jobId
}

export const admitted = async (
  account: Account,
  identity: Identity,
  webhookUrl: string | null = url,
): Promise<string> =>
  answerOf(await account.admit(identity, admission(micros(10_000), { request: importRequest({ webhookUrl }) }))).jobId

export const log = async (account: Account, identity: Parameters<Account['deliveries']>[0]): Promise<Delivery[]> =>
  answerOf(await account.deliveries(identity, { jobId: null, state: null }, { before: null, limit: 100 }))

export const onlyDelivery = async (
  account: Account,
  identity: Parameters<Account['deliveries']>[0],
): Promise<Delivery> => {
  const [delivery, ...others] = await log(account, identity)
  if (!delivery || others.length > 0)
    throw new Error(`expected one delivery, found ${others.length + (delivery ? 1 : 0)}`)
  return delivery
}

/** Makes an attempt with the given outcome, as the queue consumer does. */
export const attempt = async (account: Account, id: string, outcome: AttemptOutcome) => {
  const claimed = await account.claimDelivery(id)
  if (!claimed) throw new Error(`${id} cannot be claimed`)
  return account.reportDelivery({ id, lease: claimed.lease, outcome })
}

/** Until its next attempt is due, or the lease of the running one expires. An ended delivery waits for nothing. */
export const untilDue = async (account: Account, id: string): Promise<void> => {
  const delivery = await inTables(account, (sql) => findDelivery(sql, id))
  const dueAt = delivery?.nextAt ?? delivery?.leaseUntil ?? 0
  skip(Math.max(0, dueAt - Date.now()))
}
