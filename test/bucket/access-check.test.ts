import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkAccess } from '../../worker/bucket/access-check.ts'
import { createBucket } from '../../worker/bucket/s3/bucket.ts'
import { type Script, startFlakyS3 } from '../doubles/s3/flaky.ts'
import { startVersity, type Versity } from '../doubles/s3/versity.ts'

let server: Versity
beforeAll(async () => {
  server = await startVersity()
  await server.makeBucket('media')
})
afterAll(() => server.close())

const check = async (script: Script = () => null, changes = {}) => {
  const proxy = await startFlakyS3(server.endpoint, script)
  const bucket = createBucket({ ...server, endpoint: proxy.endpoint, bucket: 'media', pathStyle: true, ...changes })
  const result = await checkAccess(bucket, 'prefix/check.txt')
  await proxy.close()
  return { result, kinds: proxy.seen.map(({ kind }) => kind) }
}
const denied = { does: 'responds', status: 403, code: 'AccessDenied', message: 'Access denied' } as const
const exists = () =>
  server.get('media', 'prefix/check.txt').then(
    () => true,
    () => false,
  )

test('a bucket that allows write, read and remove passes, and nothing is left in it', async () => {
  expect(await check()).toEqual({ result: null, kinds: ['put', 'get', 'delete'] })
  expect(await exists()).toBe(false)
})

test.each([
  ['write', 'put', ['put']],
  ['read', 'get', ['put', 'get', 'delete']],
  ['remove', 'delete', ['put', 'get', 'delete']],
] as const)('a bucket that denies %s fails at that step, with the message of the server', async (step, kind, kinds) => {
  const { result, kinds: seen } = await check((request) => (request.kind === kind ? denied : null))
  expect(result).toMatchObject({
    step,
    refusal: { code: 'STORAGE_DENIED', serverMessage: 'AccessDenied: Access denied' },
  })
  expect(seen).toEqual(kinds)
  expect(await exists()).toBe(step === 'remove')
})

test('a bucket that returns other content fails', async () => {
  const other = { does: 'responds', status: 200, body: 'something else' } as const
  const { result } = await check(({ kind }) => (kind === 'get' ? other : null))
  expect(result).toMatchObject({ step: 'read', refusal: { code: 'STORAGE_CORRUPTED' } })
})

test('a wrong secret fails at the first step, and is not part of the result', async () => {
  const { result } = await check(() => null, { secretAccessKey: 'the wrong secret' })
  expect(result).toMatchObject({ step: 'write', refusal: { code: 'STORAGE_SIGNATURE' } })
  expect(JSON.stringify([result, `${result?.refusal}`])).not.toContain('the wrong secret')
})
