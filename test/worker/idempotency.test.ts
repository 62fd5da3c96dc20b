import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { micros } from '../../worker/domain/money/money.ts'
import { type Account, admission, newAccount } from './account.ts'

const claim = { key: 'order-7', fingerprint: 'of the request' }
const request = admission(micros(10_000), { idempotency: claim })

/** A request whose source took longer than its key was reserved. */
const letReservationRunOut = (account: Account) =>
  runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec('UPDATE idempotency SET expires_at = 1 WHERE job_id IS NULL')
  })

test('of two requests that both found their key free, the later one gets the job of the first', async () => {
  const { account, pass } = await newAccount()
  await account.claimIdempotency(pass, claim)
  await letReservationRunOut(account)
  await account.claimIdempotency(pass, claim)
  const { result: first } = await account.admit(pass, request)
  const { result: second } = await account.admit(pass, request)
  expect(first).toMatchObject({ ok: true, value: { jobId: expect.stringMatching(/^imp_/) } })
  expect(second).toEqual(first)
  const other = await account.admit(pass, { ...request, idempotency: { ...claim, fingerprint: 'of another' } })
  expect(other.result).toMatchObject({ ok: false, refusal: { code: 'IDEMPOTENCY_MISMATCH' } })
})

test('a request that is refused late does not free the key of one that was answered', async () => {
  const { account, pass } = await newAccount()
  await account.claimIdempotency(pass, claim)
  await letReservationRunOut(account)
  await account.claimIdempotency(pass, claim)
  const { result: first } = await account.admit(pass, request)
  await account.freeIdempotency(claim.key)
  expect((await account.claimIdempotency(pass, claim)).result).toEqual(first)
})
