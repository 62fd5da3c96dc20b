import { expect, test } from 'vitest'
import { IDEMPOTENCY_PENDING_MS } from '../../../domain/limits.ts'
import { micros } from '../../../domain/money/money.ts'
import { admission, importRequest, newAccount } from '../support/account.ts'
import { skip } from '../support/clock.ts'

const claim = { key: 'order-7', fingerprint: 'of the first request' }
const request = admission(micros(10_000), { idempotency: claim })
const start = (requestId: string) => ({
  job: { kind: 'import', request: importRequest() } as const,
  ...{ reuse: null, joinKey: null, idempotency: claim, requestId },
})

test('of two requests that both reserved the same key, the later one returns the job of the first, also if one was refused', async () => {
  const { account, identity } = await newAccount()
  await account.openStart(identity, start('req_1'))
  // As if probing the source took longer than the reservation of the key.
  skip(IDEMPOTENCY_PENDING_MS)
  await account.openStart(identity, start('req_2'))
  const { result: first } = await account.admit(identity, request)
  expect(first).toMatchObject({ ok: true, value: { jobId: expect.stringMatching(/^imp_/) } })
  expect((await account.admit(identity, request)).result).toEqual(first)
  const idempotency = { ...claim, fingerprint: 'of another request' }
  const other = await account.admit(identity, { ...request, idempotency })
  expect(other.result).toMatchObject({ ok: false, refusal: { code: 'IDEMPOTENCY_MISMATCH' } })
  await account.freeIdempotency(claim.key, identity.keyHash)
  expect((await account.openStart(identity, start('req_3'))).result).toEqual(first)
})
