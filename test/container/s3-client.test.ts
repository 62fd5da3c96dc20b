import { create as attachment } from 'content-disposition'
import { Agent, fetch as undiciFetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBucket } from '../../worker/delivery/s3/client.ts'
import { payloadOf, utf8 } from '../../worker/delivery/s3/payload.ts'
import { sha256 } from '../digest.ts'
import { type FlakyS3, startFlakyS3 } from '../s3/flaky.ts'
import { sigV4Problem } from '../s3/sigv4.ts'
import { startVersity, type Versity } from '../s3/versity.ts'

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
const facts = { contentType: 'video/mp4', contentDisposition: 'inline', sha256: sha256(hello.bytes) }
const putting = (changes = {}, options = {}) => open(changes, options).put('k.mp4', hello, facts, false)

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
  ])('%s is the same on the server, over the wire and in its address', async (key) => {
    const bucket = open()
    await bucket.put(key, hello, facts, true)
    expect(await bucket.head(key, true)).toEqual({
      sizeBytes: 5,
      sha256: facts.sha256,
      checksum: Buffer.from(facts.sha256, 'hex').toString('base64'),
    })
    expect(await (await server.get('media', key)).text()).toBe('hello')
    expect(decodeURIComponent(new URL(bucket.url(key)).pathname)).toBe(`/media/${key}`)
  })
})

test('every request so far passes a verifier that knows nothing of the library that signed it', () => {
  const problems = proxy.seen.map((request) => sigV4Problem(request, server, Date.now()))
  expect(proxy.seen.length).toBeGreaterThan(15)
  expect(problems.filter(Boolean)).toEqual([])
})

test('type and name travel with the object, whatever letters the name has', async () => {
  const contentDisposition = attachment('Grüße 🧀 "zitiert".mp4')
  await open().put('headers.mp4', hello, { ...facts, contentDisposition, storageClass: 'STANDARD_IA' }, false)
  const response = await server.get('media', 'headers.mp4')
  expect(response.headers.get('content-type')).toBe('video/mp4')
  expect(response.headers.get('content-disposition')).toBe(contentDisposition)
  expect(proxy.seen.at(-1)?.headers['x-amz-storage-class']).toBe('STANDARD_IA')
  expect(sigV4Problem(proxy.seen.at(-1) ?? never(), server, Date.now())).toBeNull()
})

test('a bucket is also reached by a host name of its own', async () => {
  const { port } = new URL(server.endpoint)
  const agent = new Agent({
    connect: { lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
  })
  const hosts: string[] = []
  const viaLoopback = async (request: Request): Promise<Response> => {
    hosts.push(new URL(request.url).hostname)
    const { method, headers } = request
    const body = method === 'PUT' ? await request.bytes() : null
    const answer = await undiciFetch(request.url, { method, headers: [...headers], body, dispatcher: agent })
    return new Response(await answer.text(), { status: answer.status, headers: [...answer.headers] })
  }
  const bucket = open({ endpoint: `http://${VIRTUAL_DOMAIN}:${port}`, pathStyle: false }, { fetch: viaLoopback })
  await bucket.put('ü/by host.mp4', hello, facts, false)
  expect(hosts).toEqual([`media.${VIRTUAL_DOMAIN}`])
  expect(await (await server.get('media', 'ü/by host.mp4')).text()).toBe('hello')
  await agent.close()
})

describe('a refusal is named after what the caller can do about it', () => {
  const refusedBy = (act: () => Promise<unknown>) => act().then(never, (error) => error)

  test.each([
    ['STORAGE_SIGNATURE', 'a wrong secret', { secretAccessKey: 'wrong' }],
    ['STORAGE_DENIED', 'an unknown access key', { accessKeyId: 'nobody' }],
    ['STORAGE_NO_BUCKET', 'a bucket that is not there', { bucket: 'missing' }],
    ['STORAGE_REDIRECT', 'another region', { region: 'eu-west-1' }],
    ['STORAGE_UNREACHABLE', 'a closed port', { endpoint: 'http://127.0.0.1:9' }],
  ])('%s for %s', async (code, _, changes) => {
    const error = await refusedBy(() => putting(changes))
    expect(error).toMatchObject({ name: 'BucketRefusal', code, retryable: code === 'STORAGE_UNREACHABLE' })
  })

  test('STORAGE_CLOCK for a clock that is an hour late', async () => {
    const error = await refusedBy(() => putting({}, { now: () => Date.now() - 3_600_000 }))
    expect(error).toMatchObject({ code: 'STORAGE_CLOCK', status: 403 })
  })

  test('STORAGE_CORRUPTED for bytes that changed after they were hashed', async () => {
    const changed = { bytes: utf8('jello'), digest: hello.digest }
    const error = await refusedBy(() => open().put('changed.mp4', changed, facts, false))
    expect(error).toMatchObject({ code: 'STORAGE_CORRUPTED', status: 400, retryable: true })
  })

  test('STORAGE_UPLOAD_GONE for an upload that nobody began', async () => {
    const error = await refusedBy(() => open().listParts('k.mp4', 'no-such-upload'))
    expect(error).toMatchObject({ code: 'STORAGE_UPLOAD_GONE' })
  })

  test('aborting what is gone already is no refusal', async () => {
    await expect(open().abort('k.mp4', 'no-such-upload')).resolves.toBeUndefined()
  })

  test('the words are the server’s own, with its region when that was wrong', async () => {
    const error = await refusedBy(() => putting({ region: 'eu-west-1' }))
    expect(error.message).toContain('AuthorizationHeaderMalformed')
    expect(error.message).toContain('(the bucket is at us-east-1)')
  })
})
const never = (): never => {
  throw new Error('This must not happen')
}
