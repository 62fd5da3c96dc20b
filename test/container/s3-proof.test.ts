import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBucket } from '../../worker/delivery/s3/client.ts'
import { proveBucket } from '../../worker/delivery/storage-proof.ts'
import { type Script, startFlakyS3 } from '../s3/flaky.ts'
import { startVersity, type Versity } from '../s3/versity.ts'

let server: Versity
beforeAll(async () => {
  server = await startVersity()
  await server.makeBucket('media')
})
afterAll(() => server.close())

const prove = async (script: Script = () => null, changes = {}) => {
  const proxy = await startFlakyS3(server.endpoint, script)
  const bucket = createBucket({ ...server, endpoint: proxy.endpoint, bucket: 'media', pathStyle: true, ...changes })
  const proof = await proveBucket(bucket, 'prefix/haul-proof.txt')
  await proxy.close()
  return { proof, kinds: proxy.seen.map(({ kind }) => kind) }
}
const denied = { does: 'answers', status: 403, code: 'AccessDenied', message: 'Not for you' } as const
const isThere = () =>
  server.get('media', 'prefix/haul-proof.txt').then(
    () => true,
    () => false,
  )

test('a bucket that lets us write, read and remove is proven, and nothing stays in it', async () => {
  expect(await prove()).toEqual({ proof: { ok: true }, kinds: ['put', 'get', 'delete'] })
  expect(await isThere()).toBe(false)
})

test.each([
  ['write', 'put', ['put']],
  ['read', 'get', ['put', 'get', 'delete']],
  ['remove', 'delete', ['put', 'get', 'delete']],
] as const)('a bucket that does not let us %s is not, in its own words', async (step, kind, kinds) => {
  const { proof, kinds: seen } = await prove((request) => (request.kind === kind ? denied : null))
  expect(proof).toMatchObject({
    ok: false,
    step,
    failure: { code: 'STORAGE_DENIED', words: 'AccessDenied: Not for you' },
  })
  expect(seen).toEqual(kinds)
  expect(await isThere()).toBe(step === 'remove')
})

test('a bucket that gives back something else is not', async () => {
  const other = { does: 'answers', status: 200, body: 'something else' } as const
  const { proof } = await prove(({ kind }) => (kind === 'get' ? other : null))
  expect(proof).toMatchObject({ ok: false, step: 'read', failure: { code: 'STORAGE_CORRUPTED' } })
})

test.each([
  ['STORAGE_SIGNATURE', { secretAccessKey: 'the wrong secret' }],
  ['STORAGE_DENIED', { accessKeyId: 'nobody' }],
  ['STORAGE_NO_BUCKET', { bucket: 'missing' }],
  ['STORAGE_REDIRECT', { region: 'eu-central-1' }],
] as const)('%s is what the caller hears of a wrong setting, never the secret', async (code, changes) => {
  const { proof } = await prove(() => null, changes)
  expect(proof).toMatchObject({ ok: false, step: 'write', failure: { code } })
  expect(JSON.stringify(proof)).not.toContain(server.secretAccessKey)
  expect(JSON.stringify(proof)).not.toContain('the wrong secret')
})
