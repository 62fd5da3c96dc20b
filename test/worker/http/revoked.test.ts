import { expect, test } from 'vitest'
import { micros } from '../../../worker/domain/money/money.ts'
import { sha256Hex } from '../../../worker/domain/secrets/keys.ts'
import { admission } from '../account.ts'
import { asOperator, newCaller } from './caller.ts'

test('an open stream of events ends without another word when its key is revoked', async () => {
  const caller = await newCaller()
  const keyHash = await sha256Hex(caller.apiKey)
  const pass = { keyHash, rateClass: 'import', endpoint: '/import' } as const
  const { result } = await caller.account.admit(pass, admission(micros(1)))
  const jobId = result.ok ? result.value.jobId : ''
  expect(await caller.account.follow(keyHash, jobId, null, 0)).toMatchObject({ job: { state: 'queued' } })
  const following = caller.account.follow(keyHash, jobId, null, 20_000)
  await asOperator('DELETE', `/admin/accounts/${caller.accountId}/keys/${caller.keyId}`)
  const second = await asOperator('POST', `/admin/accounts/${caller.accountId}/keys`)
  const { apiKey } = second.body.data
  await caller.account.remove({ ...pass, keyHash: await sha256Hex(apiKey) }, jobId)
  expect(await following).toBeNull()
})
