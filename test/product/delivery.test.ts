import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Haul, startHaul } from '../../scripts/start/haul.ts'
import { sha256 } from '../digest.ts'
import { fixture } from '../origin/fixtures.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { type FlakyS3, type Misbehaviour, type SeenRequest, startFlakyS3 } from '../s3/flaky.ts'
import { startVersity, type Versity } from '../s3/versity.ts'
import { type Client, newClient } from './client.ts'

/** The whole product delivers into a real S3 server, before which a proxy misbehaves as each test wants. */
let haul: Haul
let origin: Origin
let server: Versity
let proxy: FlakyS3
let folder: string
let misbehave: (request: SeenRequest) => Misbehaviour | null

const MIB = 1024 * 1024
/** Three parts. */
const LARGE_BYTES = 20 * MIB

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-delivery-'))
  origin = await startOrigin()
  server = await startVersity()
  proxy = await startFlakyS3(server.endpoint, (request) => misbehave(request))
  for (const bucket of ['media', 'archive']) await server.makeBucket(bucket)
  const hosts = [origin.host, new URL(proxy.endpoint).host]
  haul = await startHaul({
    stateDir: join(folder, 'state'),
    env: { ...process.env, ALLOW_PRIVATE_HOSTS: hosts.join(','), LEASE_MS: '10000' },
  })
})

afterAll(async () => {
  await haul?.stop()
  await proxy?.close()
  await server?.close()
  await origin?.close()
  await rm(folder, { recursive: true, force: true })
})

let seenBefore = 0
beforeEach(() => {
  misbehave = () => null
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

const newCaller = async (changes: object = {}): Promise<Client> => {
  const caller = await newClient(haul)
  const { status, body } = await caller.ask('PUT', '/storage', settings(changes))
  if (status !== 200) throw new Error(JSON.stringify(body))
  seenBefore = proxy.seen.length
  return caller
}

const small = () => `${origin.url}/media/faststart.mp4`
const large = (name = '') => `${origin.url}/generated/${LARGE_BYTES}.mp4${name}`
const inBucket = async (key: string, bucket = 'media') =>
  sha256(new Uint8Array(await (await server.get(bucket, key)).arrayBuffer()))

describe('the bucket of an account', () => {
  test('is proven and kept, and its secret is never shown again', async () => {
    const caller = await newClient(haul)
    expect((await caller.ask('GET', '/storage')).status).toBe(404)
    const put = await caller.ask('PUT', '/storage', settings({ pathPrefix: 'haul', storageClass: 'STANDARD' }))
    expect(put).toMatchObject({ status: 200, body: { data: { bucket: 'media', accessKeyId: 'ha…st' } } })
    const got = await caller.ask('GET', '/storage')
    expect(got.body.data).toEqual(put.body.data)
    expect(JSON.stringify([put.body, got.body])).not.toContain(server.secretAccessKey)
    expect(proxy.seen.slice(seenBefore).map(({ kind }) => kind)).toEqual(['put', 'get', 'delete'])
    expect(seen('put')[0]?.target).toMatch(/^\/media\/haul\/haul-proof-/)
    expect((await caller.ask('DELETE', '/storage')).status).toBe(200)
    expect((await caller.ask('DELETE', '/storage')).status).toBe(404)
    const refused = await caller.ask('POST', '/import', { url: small(), store: true })
    expect(refused).toMatchObject({ status: 400, body: { code: 'STORAGE_NOT_CONFIGURED' } })
  })

  test.each([
    ['STORAGE_SIGNATURE', { secretAccessKey: 'the wrong secret' }, null],
    ['STORAGE_DENIED', { accessKeyId: 'nobody' }, null],
    ['STORAGE_NO_BUCKET', { bucket: 'missing' }, null],
    ['STORAGE_CLOCK', {}, { does: 'answers', status: 403, code: 'RequestTimeTooSkewed', message: 'Too late' }],
    ['STORAGE_UNREACHABLE', {}, { does: 'cuts', afterBytes: 0 }],
  ] as const)('is not kept with %s, and the caller hears what it said', async (code, changes, wrong) => {
    const caller = await newCaller()
    misbehave = () => wrong
    const { status, body } = await caller.ask('PUT', '/storage', settings({ region: 'us-east-1', ...changes }))
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code, step: 'write', bucketSaid: expect.any(String) },
    })
    expect(JSON.stringify(body)).not.toContain('the wrong secret')
    expect((await caller.ask('GET', '/storage')).body.data.bucket).toBe('media')
  })
})

describe('a file', () => {
  test('lies in the bucket byte for byte, and is charged once', async () => {
    const caller = await newCaller({ pathPrefix: 'haul' })
    const before = await caller.account()
    const id = await caller.start({ url: large(), store: true, storagePath: 'films/2026' })
    const job = await caller.ended(id)
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
    const after = await caller.account()
    expect(before.balanceDollars - after.balanceDollars).toBeCloseTo(job.result.costInDollars, 6)
    expect(after.heldDollars).toBe(0)
    const { entries } = await caller.get<{ entries: { kind: string; jobId: string }[] }>('/account/ledger')
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
  ])('named %j in %j lies where the answer says', async (storageFilename, storagePath) => {
    const caller = await newCaller()
    const job = await caller.ended(await caller.start({ url: small(), store: true, storageFilename, storagePath }))
    const { s3Storage, filename, mediaUrl } = job.result
    expect(filename).toBe(`${storageFilename}.mp4`)
    expect(s3Storage.key).toBe(`${storagePath}/${filename}`)
    expect(decodeURIComponent(new URL(mediaUrl).pathname)).toBe(`/media/${s3Storage.key}`)
    expect(await inBucket(s3Storage.key)).toBe(sha256(await readFile(fixture('faststart.mp4'))))
  })

  test('goes to the bucket and class that the request names, and stays on the service when its place is not to be told', async () => {
    const caller = await newCaller({ storageClass: 'STANDARD_IA' })
    const job = await caller.ended(
      await caller.start({
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
    expect(job.result.mediaUrl.startsWith(`${haul.baseUrl}/media/`)).toBe(true)
    expect(sha256(new Uint8Array(await (await fetch(job.result.mediaUrl)).arrayBuffer()))).toBe(original)
  })

  test.each([
    ['storagePath', '../up'],
    ['storagePath', 'a//b'],
    ['storageFilename', 'a/b'],
    ['storageBucket', 'evil.example/x'],
    ['storageClass', 'FREE'],
  ])('never begins with %s %j', async (path, value) => {
    const caller = await newClient(haul)
    const { status, body } = await caller.ask('POST', '/import', { url: small(), [path]: value })
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST', details: [{ path }] } })
  })
})

describe('a bucket that fails', () => {
  const unavailable = { does: 'answers', status: 503, code: 'SlowDown', message: 'Please slow down' } as const

  test('for a while gets the file when it is back, which was downloaded and charged once', async () => {
    const caller = await newCaller()
    const requestsBefore = origin.requests.length
    // Longer than one run is patient: the next one is the account's to plan.
    misbehave = () => (proxy.seen.length - seenBefore < 8 ? unavailable : null)
    const job = await caller.ended(await caller.start({ url: large('?down'), store: true, storageFilename: 'down' }))
    expect(job.status).toBe('completed')
    expect(await inBucket('down.mp4')).toBe(job.result.sha256)
    const asked = origin.requests.slice(requestsBefore).filter(({ method }) => method === 'GET')
    expect(asked.map(({ headers }) => headers.range)).toHaveLength(
      new Set(asked.map(({ headers }) => headers.range)).size,
    )
    const { entries } = await caller.get<{ entries: { kind: string }[] }>('/account/ledger')
    expect(entries.filter(({ kind }) => kind === 'charge')).toHaveLength(1)
  })

  test.each<[string, (request: SeenRequest) => Misbehaviour | null]>([
    ['is slow', ({ kind }) => (kind === 'part' ? { does: 'dawdles', ms: 3000 } : null)],
    [
      'closes in mid-part',
      ({ kind }) => (kind === 'part' && seen('part').length < 2 ? { does: 'cuts', afterBytes: MIB } : null),
    ],
    ['knows no checksums', () => ({ does: 'forgets headers', starting: 'x-amz-checksum' })],
    [
      'loses an answer',
      ({ kind }) => (kind === 'complete' && seen('complete').length < 1 ? { does: 'loses the answer' } : null),
    ],
  ])('since it %s gets the file whole all the same', async (how, script) => {
    const caller = await newCaller()
    misbehave = script
    const job = await caller.ended(await caller.start({ url: large(), store: true, storageFilename: how }))
    expect(job.status).toBe('completed')
    expect(await inBucket(`${how}.mp4`)).toBe(job.result.sha256)
    expect(await server.unfinishedUploads('media')).toEqual([])
  })

  test.each([
    ['a key that was taken away', { does: 'answers', status: 403, code: 'InvalidAccessKeyId', message: 'Gone' }, {}],
    ['a bucket that is not there', null, { storageBucket: 'not-there' }],
  ] as const)(
    'for good, with %s, fails the job at once in its own words, and costs nothing',
    async (_, wrong, request) => {
      const caller = await newCaller()
      misbehave = ({ kind }) => (kind === 'part' || kind === 'put' ? wrong : null)
      const job = await caller.ended(await caller.start({ url: large(), store: true, ...request }))
      expect(job).toMatchObject({ status: 'failed', code: 'STORAGE_FAILED', retryable: false })
      expect(job.message).toContain(wrong ? 'InvalidAccessKeyId: Gone' : 'NoSuchBucket')
      expect(await caller.account()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
      expect(await server.unfinishedUploads('media')).toEqual([])
    },
  )

  test('keeps nothing of a job that is canceled in the midst of its upload', async () => {
    const caller = await newCaller()
    misbehave = ({ kind }) => (kind === 'part' && seen('part').length > 1 ? { does: 'dawdles', ms: 15_000 } : null)
    const id = await caller.start({ url: large(), store: true, storageFilename: 'canceled' })
    const running = await caller.until(id, ({ progress }) => progress?.stage === 'delivering')
    expect(running.progress).toMatchObject({ downloadedBytes: expect.any(Number), totalBytes: expect.any(Number) })
    await expect.poll(() => server.unfinishedUploads('media')).toEqual(['canceled.mp4'])
    await caller.remove(`/jobs/${id}`)
    expect(await caller.read(id)).toMatchObject({ status: 'failed', code: 'CANCELED' })
    await expect.poll(() => server.unfinishedUploads('media')).toEqual([])
    expect(await caller.account()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
  })
})

test('a Worker that is killed in the midst of an upload goes on after the last part that arrived', async () => {
  const caller = await newCaller()
  misbehave = ({ kind }) => (kind === 'part' && seen('part').length > 0 ? { does: 'hangs' } : null)
  const id = await caller.start({ url: large(), store: true, storageFilename: 'killed' })
  await expect.poll(() => seen('part').length).toBe(3)
  const first = seen('part')[0]?.target
  await expect.poll(async () => (await caller.read(id)).progress).toMatchObject({ percent: 40 })
  await haul.killWorker('SIGKILL')
  misbehave = () => null
  await haul.ready()
  const job = await caller.ended(id)
  expect(job.status).toBe('completed')
  expect(await inBucket('killed.mp4')).toBe(job.result.sha256)
  expect(seen('create')).toHaveLength(1)
  expect(seen('part').filter(({ target }) => target === first)).toHaveLength(1)
  expect(await server.unfinishedUploads('media')).toEqual([])
})

test('the secret of a bucket stands in no file of ours: no database, no queue, no log', async () => {
  const secret = server.secretAccessKey
  const spellings = [secret, JSON.stringify(secret), encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
  const files = await readdir(haul.state.dir, { recursive: true, withFileTypes: true })
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
  expect(paths.some((path) => path.endsWith('.sqlite'))).toBe(true)
  for (const path of paths) {
    const bytes = await readFile(path)
    for (const spelling of spellings) expect(bytes.includes(spelling), path).toBe(false)
  }
})
