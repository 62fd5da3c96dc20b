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

describe('the bucket of an account', () => {
  test('is tested and saved, and its secret is never shown again', async () => {
    const client = await site.newClient()
    expect((await client.request('GET', '/storage')).status).toBe(404)
    const saved = await client.request('PUT', '/storage', settings({ pathPrefix: 'haul', storageClass: 'STANDARD' }))
    expect(saved).toMatchObject({ status: 200, body: { data: { bucket: 'media', accessKeyId: 'ha…st' } } })
    const read = await client.request('GET', '/storage')
    expect(read.body.data).toEqual(saved.body.data)
    expect(JSON.stringify([saved.body, read.body])).not.toContain(server.secretAccessKey)
    expect(proxy.seen.slice(seenBefore).map(({ kind }) => kind)).toEqual(['put', 'get', 'delete'])
    expect(seen('put')[0]?.target).toMatch(/^\/media\/haul\/haul-proof-/)
    expect((await client.request('DELETE', '/storage')).status).toBe(200)
    expect((await client.request('DELETE', '/storage')).status).toBe(404)
    const refused = await client.request('POST', '/import', { url: small(), store: true })
    expect(refused).toMatchObject({ status: 400, body: { code: 'STORAGE_NOT_CONFIGURED' } })
  })

  test.each([
    ['STORAGE_SIGNATURE', { secretAccessKey: 'the wrong secret' }, null],
    ['STORAGE_DENIED', { accessKeyId: 'nobody' }, null],
    ['STORAGE_NO_BUCKET', { bucket: 'missing' }, null],
    ['STORAGE_CLOCK', {}, { does: 'responds', status: 403, code: 'RequestTimeTooSkewed', message: 'Too late' }],
    ['STORAGE_UNREACHABLE', {}, { does: 'cuts the connection', afterBytes: 0 }],
  ] as const)('is not saved with %s, and the error quotes the response of the bucket', async (code, changes, fault) => {
    const client = await newStorageClient()
    faultOf = () => fault
    const { status, body } = await client.request('PUT', '/storage', settings({ region: 'us-east-1', ...changes }))
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code, step: 'write', bucketSaid: expect.any(String) },
    })
    expect(JSON.stringify(body)).not.toContain('the wrong secret')
    expect((await client.request('GET', '/storage')).body.data.bucket).toBe('media')
  })
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

  test.each([
    ['with spaces', 'a folder/of  mine'],
    ['Grüße aus Köln', 'Ümläute/straße'],
    ['Käse 🧀 + Wein 🍷', '🎬'],
    ['100% + 1 & more? #1; a=b', '%2e%2e/%2F'],
    [`it's (a) *star*!`, "o'path"],
    ['日本語のタイトル', '動画/二〇二六'],
    ['x'.repeat(240), 'long'],
    ['..', '...'],
  ])('named %j in %j is stored under the key in the response', async (storageFilename, storagePath) => {
    const client = await newStorageClient()
    const job = await client.ended(await client.start({ url: small(), store: true, storageFilename, storagePath }))
    const { s3Storage, filename, mediaUrl } = job.result
    expect(filename).toBe(`${storageFilename}.mp4`)
    expect(s3Storage.key).toBe(`${storagePath}/${filename}`)
    expect(decodeURIComponent(new URL(mediaUrl).pathname)).toBe(`/media/${s3Storage.key}`)
    expect(await inBucket(s3Storage.key)).toBe(sha256(await readFile(fixture('faststart.mp4'))))
  })

  test('is copied to the bucket and class of the request, and is still served by Haul if the location is not returned', async () => {
    const client = await newStorageClient({ storageClass: 'STANDARD_IA' })
    const job = await client.ended(
      await client.start({
        url: small(),
        store: true,
        storageBucket: 'archive',
        storageClass: 'INTELLIGENT_TIERING',
        storageFilename: '50% off',
        storageReturnLocation: false,
      }),
    )
    expect(job.result.s3Storage).toEqual({ bucket: 'archive', key: '50% off.mp4' })
    expect(seen('put')[0]?.headers['x-amz-storage-class']).toBe('INTELLIGENT_TIERING')
    const original = sha256(await readFile(fixture('faststart.mp4')))
    expect(await inBucket('50% off.mp4', 'archive')).toBe(original)
    expect(job.result.mediaUrl.startsWith(`${site.haul.baseUrl}/media/`)).toBe(true)
    expect(sha256(new Uint8Array(await (await fetch(job.result.mediaUrl)).arrayBuffer()))).toBe(original)
  })

  test.each([
    ['storagePath', '../up'],
    ['storagePath', 'a//b'],
    ['storageFilename', 'a/b'],
    ['storageBucket', 'evil.example/x'],
    ['storageClass', 'FREE'],
  ])('is not imported with %s %j', async (path, value) => {
    const client = await site.newClient()
    const { status, body } = await client.request('POST', '/import', { url: small(), [path]: value })
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST', details: [{ path }] } })
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

  test.each<[string, (request: SeenRequest) => Fault | null]>([
    ['is slow', ({ kind }) => (kind === 'part' ? { does: 'delays', ms: 3000 } : null)],
    [
      'closes the connection within a part',
      ({ kind }) =>
        kind === 'part' && seen('part').length < 2 ? { does: 'cuts the connection', afterBytes: MIB } : null,
    ],
    ['does not support checksums', () => ({ does: 'drops headers', starting: 'x-amz-checksum' })],
    [
      'loses a response',
      ({ kind }) => (kind === 'complete' && seen('complete').length < 1 ? { does: 'loses the response' } : null),
    ],
  ])('because it %s still gets the whole file', { timeout: RETRY_TIMEOUT_MS }, async (fault, script) => {
    const client = await newStorageClient()
    faultOf = script
    const job = await client.ended(await client.start({ url: large(), store: true, storageFilename: fault }))
    expect(job.status).toBe('completed')
    expect(await inBucket(`${fault}.mp4`)).toBe(job.result.sha256)
    expect(await server.unfinishedUploads('media')).toEqual([])
  })

  test.each([
    ['a deleted access key', { does: 'responds', status: 403, code: 'InvalidAccessKeyId', message: 'Gone' }, {}],
    ['a missing bucket', null, { storageBucket: 'not-there' }],
  ] as const)(
    'for good, with %s, fails the job at once with the message of the bucket, free of charge',
    async (_, fault, request) => {
      const client = await newStorageClient()
      faultOf = ({ kind }) => (kind === 'part' || kind === 'put' ? fault : null)
      const job = await client.ended(await client.start({ url: large(), store: true, ...request }))
      expect(job).toMatchObject({ status: 'failed', code: 'STORAGE_FAILED', retryable: false })
      expect(job.message).toContain(fault ? 'InvalidAccessKeyId: Gone' : 'NoSuchBucket')
      expect(await client.account()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
      expect(await server.unfinishedUploads('media')).toEqual([])
    },
  )

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
