import { readFile } from 'node:fs/promises'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { type Fault, type FlakyS3, type SeenRequest, startFlakyS3 } from '../../doubles/s3/flaky.ts'
import { startVersity, type Versity } from '../../doubles/s3/versity.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'
import { filesWith } from '../../support/product/written-files.ts'
import { sha256 } from '../../support/sha256.ts'

/** The whole product copies files into a real S3 server, through a proxy that injects faults. */
let server: Versity
let proxy: FlakyS3
let faultOf: (request: SeenRequest) => Fault | null

const MIB = 1024 * 1024

/** For tests that wait for an expired lease of 10 s or for the backoff between two runs of a copy. */
const RETRY_TIMEOUT_MS = 120_000
/** Three parts. */
const LARGE_BYTES = 20 * MIB

const site = ownProduct(async () => {
  server = await startVersity()
  proxy = await startFlakyS3(server.endpoint, (request) => faultOf(request))
  for (const bucket of ['media', 'archive']) await server.makeBucket(bucket)
  return { env: { LEASE_MS: '10000' } }
})

afterAll(async () => {
  await proxy?.close()
  await server?.close()
})

let seenBefore = 0
beforeEach(() => {
  faultOf = () => null
  seenBefore = proxy.seen.length
})

const seen = (kind: SeenRequest['kind']): SeenRequest[] =>
  proxy.seen.slice(seenBefore).filter((request) => request.kind === kind)

const settings = (changes: object = {}) => ({
  endpoint: proxy.endpoint,
  region: server.region,
  bucket: 'media',
  accessKeyId: server.accessKeyId,
  secretAccessKey: server.secretAccessKey,
  pathStyle: true,
  ...changes,
})

const newStorageClient = async (changes: object = {}): Promise<AccountClient> => {
  const client = await site.newClient()
  const { status, body } = await client.request('PUT', '/storage', settings(changes))
  if (status !== 200) throw new Error(JSON.stringify(body))
  seenBefore = proxy.seen.length
  return client
}

const small = () => `${site.origin.url}/media/faststart.mp4`
const large = (name = '') => `${site.origin.url}/generated/${LARGE_BYTES}.mp4${name}`
const inBucket = async (key: string, bucket = 'media') =>
  sha256(new Uint8Array(await (await server.get(bucket, key)).arrayBuffer()))

test('the bucket of an account is tested and saved, its secret is never shown again, and what does not work changes nothing', async () => {
  const client = await site.newClient()
  expect((await client.request('GET', '/storage')).status).toBe(404)
  const saved = await client.request('PUT', '/storage', settings({ pathPrefix: 'haul', storageClass: 'STANDARD' }))
  expect(saved).toMatchObject({ status: 200, body: { data: { bucket: 'media', accessKeyId: 'ha…st' } } })
  expect(proxy.seen.slice(seenBefore).map(({ kind }) => kind)).toEqual(['put', 'get', 'delete'])
  expect(seen('put')[0]?.target).toMatch(/^\/media\/haul\/haul-proof-/)
  const wrong = await client.request('PUT', '/storage', settings({ secretAccessKey: 'the wrong secret' }))
  expect(wrong).toMatchObject({
    status: 400,
    body: { code: 'STORAGE_SIGNATURE', step: 'write', bucketSaid: expect.any(String) },
  })
  const read = await client.request('GET', '/storage')
  expect(read.body.data).toEqual(saved.body.data)
  expect(JSON.stringify([saved.body, wrong.body, read.body])).not.toMatch(/the wrong secret|a secret\/of\+tests/)
  expect((await client.request('DELETE', '/storage')).status).toBe(200)
  expect((await client.request('DELETE', '/storage')).status).toBe(404)
  const refused = await client.request('POST', '/import', { url: small(), store: true })
  expect(refused).toMatchObject({ status: 400, body: { code: 'STORAGE_NOT_CONFIGURED' } })
})

describe('a file', () => {
  test('is copied into the bucket byte for byte and charged once', async () => {
    const client = await newStorageClient({ pathPrefix: 'haul' })
    const before = await client.account()
    const id = await client.start({ url: large(), store: true, storagePath: 'films/2026' })
    const job = await client.ended(id)
    const key = `haul/films/2026/${LARGE_BYTES}.mp4`
    const url = `${proxy.endpoint}/media/${key}`
    expect(job).toMatchObject({
      status: 'completed',
      result: { mediaUrl: url, s3Storage: { url, bucket: 'media', key }, filename: `${LARGE_BYTES}.mp4` },
    })
    expect(await inBucket(key)).toBe(job.result.sha256)
    expect(seen('part')).toHaveLength(3)
    const object = await server.get('media', key)
    expect(object.headers.get('content-type')).toBe('video/mp4')
    expect(object.headers.get('content-disposition')).toBe(`inline; filename=${LARGE_BYTES}.mp4`)
    const after = await client.account()
    expect(before.balanceDollars - after.balanceDollars).toBeCloseTo(job.result.costInDollars, 6)
    expect(after.heldDollars).toBe(0)
    const { entries } = await client.get<{ entries: { kind: string; jobId: string }[] }>('/account/ledger')
    expect(entries.filter(({ kind, jobId }) => kind === 'charge' && jobId === id)).toHaveLength(1)
  })

  test('is copied to the bucket and class of the request, and is still served by Haul if the location is not returned', async () => {
    const client = await newStorageClient({ storageClass: 'STANDARD_IA' })
    const job = await client.ended(
      await client.start({
        url: small(),
        store: true,
        storageBucket: 'archive',
        storageClass: 'INTELLIGENT_TIERING',
        storagePath: 'Ümläute/%2F',
        storageFilename: 'Käse 🧀 + 50%',
        storageReturnLocation: false,
      }),
    )
    const key = 'Ümläute/%2F/Käse 🧀 + 50%.mp4'
    expect(job.result).toMatchObject({ s3Storage: { bucket: 'archive', key }, filename: 'Käse 🧀 + 50%.mp4' })
    expect(job.result.s3Storage).not.toHaveProperty('url')
    expect(seen('put')[0]?.headers['x-amz-storage-class']).toBe('INTELLIGENT_TIERING')
    const original = sha256(await readFile(fixture('faststart.mp4')))
    expect(await inBucket(key, 'archive')).toBe(original)
    expect(job.result.mediaUrl.startsWith(`${site.haul.baseUrl}/media/`)).toBe(true)
    expect(sha256(new Uint8Array(await (await fetch(job.result.mediaUrl)).arrayBuffer()))).toBe(original)
  })
})

describe('a bucket that fails', () => {
  const unavailable = { does: 'responds', status: 503, code: 'SlowDown', message: 'Please slow down' } as const

  test('for a while gets the file later, and the file is downloaded and charged once', {
    timeout: RETRY_TIMEOUT_MS,
  }, async () => {
    const client = await newStorageClient()
    const requestsBefore = site.origin.requests.length
    // More failures than one run retries, so the account schedules the next run.
    faultOf = () => (proxy.seen.length - seenBefore < 8 ? unavailable : null)
    const job = await client.ended(await client.start({ url: large('?down'), store: true, storageFilename: 'down' }))
    expect(job.status).toBe('completed')
    expect(await inBucket('down.mp4')).toBe(job.result.sha256)
    const requests = site.origin.requests.slice(requestsBefore).filter(({ method }) => method === 'GET')
    expect(requests.map(({ headers }) => headers.range)).toHaveLength(
      new Set(requests.map(({ headers }) => headers.range)).size,
    )
    const { entries } = await client.get<{ entries: { kind: string }[] }>('/account/ledger')
    expect(entries.filter(({ kind }) => kind === 'charge')).toHaveLength(1)
  })

  test('for good fails the job at once with the message of the bucket, free of charge', async () => {
    const client = await newStorageClient()
    const gone = { does: 'responds', status: 403, code: 'InvalidAccessKeyId', message: 'Gone' } as const
    faultOf = ({ kind }) => (kind === 'part' ? gone : null)
    const job = await client.ended(await client.start({ url: large(), store: true }))
    expect(job).toMatchObject({ status: 'failed', code: 'STORAGE_FAILED', retryable: false })
    expect(job.message).toContain('InvalidAccessKeyId: Gone')
    expect(await client.account()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
    expect(await server.unfinishedUploads('media')).toEqual([])
  })

  test('keeps nothing of a job that is canceled during its upload', async () => {
    const client = await newStorageClient()
    faultOf = ({ kind }) => (kind === 'part' && seen('part').length > 1 ? { does: 'delays', ms: 15_000 } : null)
    const id = await client.start({ url: large(), store: true, storageFilename: 'canceled' })
    const running = await client.until(id, ({ progress }) => progress?.stage === 'delivering')
    expect(running.progress).toMatchObject({ downloadedBytes: expect.any(Number), totalBytes: expect.any(Number) })
    await expect.poll(() => server.unfinishedUploads('media')).toEqual(['canceled.mp4'])
    await expect.poll(() => seen('part').length).toBe(3)
    await client.remove(`/jobs/${id}`)
    expect(await client.read(id)).toMatchObject({ status: 'failed', code: 'CANCELED' })
    await expect.poll(() => server.unfinishedUploads('media')).toEqual([])
    expect(await client.account()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
  })
})

test('a Worker that is killed during an upload resumes after the last stored part', {
  timeout: RETRY_TIMEOUT_MS,
}, async () => {
  const client = await newStorageClient()
  // The copy of a job of another test may still be ending.
  const parts = () => seen('part').filter(({ target }) => target.startsWith('/media/killed.mp4?'))
  faultOf = ({ kind }) => (kind === 'part' && parts().length > 0 ? { does: 'hangs' } : null)
  const id = await client.start({ url: large(), store: true, storageFilename: 'killed' })
  await expect.poll(parts).toHaveLength(3)
  const first = parts()[0]?.target
  await expect.poll(async () => (await client.read(id)).progress).toMatchObject({ percent: 40 })
  await site.haul.killWorker('SIGKILL')
  faultOf = () => null
  await site.haul.ready()
  const job = await client.ended(id)
  expect(job.status).toBe('completed')
  expect(await inBucket('killed.mp4')).toBe(job.result.sha256)
  expect(seen('create')).toHaveLength(1)
  expect(parts().filter(({ target }) => target === first)).toHaveLength(1)
  expect(await server.unfinishedUploads('media')).toEqual([])
})

test('the secret of a bucket is in no database, queue or log file', async () => {
  const secret = server.secretAccessKey
  const spellings = [secret, JSON.stringify(secret), encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
  expect(await filesWith(site.haul.state.dir, spellings)).toEqual([])
})
