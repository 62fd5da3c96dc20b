import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { micros } from '../../../domain/money/money.ts'
import { signingKey } from '../../../worker/env.ts'
import { leaseToken } from '../../../worker/steps/lease-token.ts'
import { admission, answerOf, leased, newAccount } from '../support/account.ts'
import { send } from '../support/caller.ts'

/** A running fetch step, and what the container sends for it. */
const running = async () => {
  const { accountId, account, identity } = await newAccount(micros(50_000))
  const { jobId } = answerOf(await account.admit(identity, admission(micros(10_000))))
  const lease = { ...(await leased(account, jobId)), accountId, step: 'fetch', attempt: 1, hasSecret: true } as const
  const token = await leaseToken(await signingKey(env, 'leases'), lease)
  const report = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await send('POST', `/internal/jobs/${jobId}/${path}`, { key: token, body, headers })
    return { status: response.status, body: await response.json() }
  }
  const isHeld = () => account.holdsLease(lease)
  const claimAgain = () => account.claim(jobId, 'fetch')
  return { report, isHeld, claimAgain }
}

const progress = { stage: 'downloading', percent: 1, downloadedBytes: 1, totalBytes: null, bytesPerSecond: null }

test.each([
  ['progress', 'with a negative number of bytes', JSON.stringify({ ...progress, downloadedBytes: -1 })],
  ['progress', 'with a fraction of a byte', JSON.stringify({ ...progress, totalBytes: 0.5 })],
  ['progress', 'that is not JSON', '{'],
  ['uploads', 'of an unknown kind', JSON.stringify({ kind: 'film' })],
  ['parts', 'without a key', JSON.stringify({ uploadId: 'u', firstPart: 1, count: 1 })],
  ['outcome', 'of an unknown status', JSON.stringify({ status: 'enough' })],
])('a message to /%s %s is answered with 400 and ends the attempt', async (path, _, body) => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { report, isHeld, claimAgain } = await running()
  expect((await report(path, body)).status).toBe(400)
  expect(await isHeld()).toBe(false)
  expect((await report('progress', progress)).status).toBe(409)
  expect(await claimAgain()).toMatchObject({ job: { usedAttempts: 2 } })
})

test('a message that does not say that it is JSON is answered with 400 and ends the attempt', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { report, isHeld } = await running()
  expect((await report('progress', progress, { 'content-type': 'text/plain' })).status).toBe(400)
  expect(await isHeld()).toBe(false)
})

test('the answer to a progress report says how many bytes are agreed', async () => {
  const { report } = await running()
  expect(await report('progress', progress)).toEqual({
    status: 200,
    body: { stop: false, agreedBytes: 1_000_000 },
  })
  const wanting = { ...progress, wantedBytes: 9_000_000 }
  expect((await report('progress', wanting)).body).toEqual({ stop: false, agreedBytes: 5_000_000 })
})
