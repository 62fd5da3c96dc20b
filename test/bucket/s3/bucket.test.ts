import { create as attachment } from 'content-disposition'
import { Agent, fetch as undiciFetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { utf8 } from '../../../domain/encoding.ts'
import { createBucket, objectUrl } from '../../../worker/bucket/s3/bucket.ts'
import { payloadOf } from '../../../worker/bucket/s3/payload.ts'
import { type FlakyS3, startFlakyS3 } from '../../doubles/s3/flaky.ts'
import { sigV4Problem } from '../../doubles/s3/sigv4.ts'
import { startVersity, type Versity } from '../../doubles/s3/versity.ts'
import { sha256 } from '../../support/sha256.ts'

const VIRTUAL_DOMAIN = 's3.haul-delivery.example'

let server: Versity
let proxy: FlakyS3
beforeAll(async () => {
  server = await startVersity({ virtualDomain: VIRTUAL_DOMAIN })
  proxy = await startFlakyS3(server.endpoint, () => null)
  await server.makeBucket('media')
})
afterAll(async () => {
  await proxy.close()
  await server.close()
})

const open = (changes = {}, options = {}) =>
  createBucket({ ...server, endpoint: proxy.endpoint, bucket: 'media', pathStyle: true, ...changes }, options)

const hello = await payloadOf(utf8('hello'))
const metadata = { contentType: 'video/mp4', contentDisposition: 'inline', sha256: sha256(hello.bytes) }
const putWith = (changes = {}, options = {}) => open(changes, options).put('k.mp4', hello, metadata, false)

describe('keys', () => {
  test.each([
    'plain.mp4',
    'with space/two  spaces.mp4',
    'Grüße/Käse 🧀.mp4',
    'a+b%41%2Fc&d=e?f#g;h:i@j$k,l.mp4',
    'it\'s (a) *star*! [x] {y} ~z^`|"<>.mp4',
    'e\u0301 decomposed.mp4',
    '日本語/タイトル.mp4',
    `${'ü'.repeat(125)}.mp4`,
    `${'path/'.repeat(150)}${'x'.repeat(250)}.mp4`,
    'trailing dot./...mp4',
  ])('%s is the same on the server, in the request and in its URL', async (key) => {
    const bucket = open()
    await bucket.put(key, hello, metadata, true)
    expect(await bucket.head(key, true)).toEqual({
      sizeBytes: 5,
      sha256: metadata.sha256,
      jobId: null,
      checksum: Buffer.from(metadata.sha256, 'hex').toString('base64'),
    })
    expect(await (await server.get('media', key)).text()).toBe('hello')
    expect(decodeURIComponent(new URL(objectUrl({ ...server, bucket: 'media', pathStyle: true }, key)).pathname)).toBe(
      `/media/${key}`,
    )
  })
})

test('every request so far is signed as S3 requires, which is more than this server does', () => {
  expect(proxy.seen.length).toBeGreaterThan(15)
  expect(proxy.seen.map(sigV4Problem).filter(Boolean)).toEqual([])
  const [request = never()] = proxy.seen
  const headers = { ...request.headers, 'x-amz-acl': 'public-read' }
  expect(sigV4Problem({ ...request, headers })).toBe('x-amz-acl is not signed')
  expect(sigV4Problem({ ...request, target: '/media/%6B?a=b' })).toBe('the path /media/%6B is not in canonical form')
})

test('the content type and the filename are stored with the object, also with non-ASCII characters', async () => {
  const contentDisposition = attachment('Grüße 🧀 "zitiert".mp4')
  await open().put('headers.mp4', hello, { ...metadata, contentDisposition, storageClass: 'STANDARD_IA' }, false)
  const response = await server.get('media', 'headers.mp4')
  expect(response.headers.get('content-type')).toBe('video/mp4')
  expect(response.headers.get('content-disposition')).toBe(contentDisposition)
  expect(proxy.seen.at(-1)?.headers['x-amz-storage-class']).toBe('STANDARD_IA')
  expect(sigV4Problem(proxy.seen.at(-1) ?? never())).toBeNull()
})

test('virtual-hosted-style addresses work too', async () => {
  const { port } = new URL(server.endpoint)
  const agent = new Agent({
    connect: { lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
  })
  const hosts: string[] = []
  const viaLoopback = async (request: Request): Promise<Response> => {
    hosts.push(new URL(request.url).hostname)
    const { method, headers } = request
    const body = method === 'PUT' ? await request.bytes() : null
    const response = await undiciFetch(request.url, { method, headers: [...headers], body, dispatcher: agent })
    return new Response(await response.text(), { status: response.status, headers: [...response.headers] })
  }
  const bucket = open({ endpoint: `http://${VIRTUAL_DOMAIN}:${port}`, pathStyle: false }, { fetch: viaLoopback })
  await bucket.put('ü/by host.mp4', hello, metadata, false)
  expect(hosts).toEqual([`media.${VIRTUAL_DOMAIN}`])
  expect(await (await server.get('media', 'ü/by host.mp4')).text()).toBe('hello')
  await agent.close()
})

describe('refusal codes', () => {
  const refusedBy = (act: () => Promise<unknown>) => act().then(never, (error) => error)

  test.each([
    ['STORAGE_SIGNATURE', 'a wrong secret', { secretAccessKey: 'wrong' }],
    ['STORAGE_DENIED', 'an unknown access key', { accessKeyId: 'unknown' }],
    ['STORAGE_NO_BUCKET', 'a missing bucket', { bucket: 'missing' }],
    ['STORAGE_UNREACHABLE', 'a closed port', { endpoint: 'http://127.0.0.1:9' }],
  ])('%s for %s', async (code, _, changes) => {
    const error = await refusedBy(() => putWith(changes))
    expect(error).toMatchObject({ name: 'BucketRefusal', code, retryable: code === 'STORAGE_UNREACHABLE' })
  })

  test('STORAGE_CLOCK for a clock that is an hour slow', async () => {
    const error = await refusedBy(() => putWith({}, { now: () => Date.now() - 3_600_000 }))
    expect(error).toMatchObject({ code: 'STORAGE_CLOCK', status: 403 })
  })

  test('STORAGE_CORRUPTED for bytes that changed after they were hashed', async () => {
    const changed = { bytes: utf8('jello'), digest: hello.digest }
    const error = await refusedBy(() => open().put('changed.mp4', changed, metadata, false))
    expect(error).toMatchObject({ code: 'STORAGE_CORRUPTED', status: 400, retryable: true })
  })

  test('STORAGE_UPLOAD_GONE for an unknown upload', async () => {
    const error = await refusedBy(() => open().listParts('k.mp4', 'no-such-upload'))
    expect(error).toMatchObject({ code: 'STORAGE_UPLOAD_GONE' })
  })

  test('aborting an upload that does not exist succeeds', async () => {
    await expect(open().abort('k.mp4', 'no-such-upload')).resolves.toBeUndefined()
  })

  test('STORAGE_REDIRECT for another region, with the message of the server and the right region', async () => {
    const error = await refusedBy(() => putWith({ region: 'eu-west-1' }))
    expect(error).toMatchObject({ name: 'BucketRefusal', code: 'STORAGE_REDIRECT', retryable: false })
    expect(error.message).toContain('AuthorizationHeaderMalformed')
    expect(error.message).toContain('(the bucket is at us-east-1)')
  })
})
const never = (): never => {
  throw new Error('unexpected')
}
