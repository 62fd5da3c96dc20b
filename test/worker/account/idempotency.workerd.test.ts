import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { micros } from '../../../domain/money/money.ts'
import { type Account, admission, newAccount } from '../support/account.ts'

const claim = { key: 'order-7', fingerprint: 'of the first request' }
const request = admission(micros(10_000), { idempotency: claim })

/** As if probing the source took longer than the reservation of the key. */
const expireReservation = (account: Account) =>
  runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec('UPDATE idempotency SET expires_at = 1 WHERE job_id IS NULL')
  })

test('of two requests that both reserved the same key, the later one returns the job of the first', async () => {
  const { account, identity } = await newAccount()
  await account.claimIdempotency(identity, claim)
  await expireReservation(account)
  await account.claimIdempotency(identity, claim)
  const { result: first } = await account.admit(identity, request)
  const { result: second } = await account.admit(identity, request)
  expect(first).toMatchObject({ ok: true, value: { jobId: expect.stringMatching(/^imp_/) } })
  expect(second).toEqual(first)
  const other = await account.admit(identity, {
    ...request,
    idempotency: { ...claim, fingerprint: 'of another request' },
  })
  expect(other.result).toMatchObject({ ok: false, refusal: { code: 'IDEMPOTENCY_MISMATCH' } })
})

test('a refused request does not free a key under which another request has started a job', async () => {
  const { account, identity } = await newAccount()
  await account.claimIdempotency(identity, claim)
  await expireReservation(account)
  await account.claimIdempotency(identity, claim)
  const { result: first } = await account.admit(identity, request)
  await account.freeIdempotency(claim.key)
  expect((await account.claimIdempotency(identity, claim)).result).toEqual(first)
})
