import { describe, expect, test } from 'vitest'
import { createBucket } from '../../worker/delivery/s3/client.ts'
import { payloadOf, utf8 } from '../../worker/delivery/s3/payload.ts'
import type { BucketRefusal } from '../../worker/delivery/s3/refusal.ts'

/** Answers that no well-behaved server gives: here the network itself is the double. */
const settings = {
  endpoint: 'https://s3.example.com',
  region: 'auto',
  bucket: 'media',
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'the+secret/key',
  pathStyle: true,
}
const facts = { contentType: 'video/mp4', contentDisposition: 'inline', sha256: '00' }

const bucketOf = (answer: () => Response | Promise<Response>) => createBucket(settings, { fetch: async () => answer() })
const refusalOf = async (answer: () => Response | Promise<Response>): Promise<BucketRefusal> =>
  bucketOf(answer)
    .put('k', await payloadOf(utf8('x')), facts, false)
    .then(
      () => Promise.reject(new Error('It was accepted')),
      (error) => error,
    )
const xml = (code: string, message = '', more = '') =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message>${more}</Error>`

test.each([
  [403, xml('AccessDenied', 'Access Denied'), 'STORAGE_DENIED', false],
  [403, '', 'STORAGE_DENIED', false],
  [401, '', 'STORAGE_DENIED', false],
  [400, xml('ExpiredToken'), 'STORAGE_DENIED', false],
  [404, xml('NoSuchBucket'), 'STORAGE_NO_BUCKET', false],
  [403, xml('RequestTimeTooSkewed'), 'STORAGE_CLOCK', false],
  [
    301,
    xml('PermanentRedirect', 'Use another endpoint.', '<Endpoint>media.s3.eu-west-1.amazonaws.com</Endpoint>'),
    'STORAGE_REDIRECT',
    false,
  ],
  [307, '', 'STORAGE_REDIRECT', false],
  [400, xml('BadDigest'), 'STORAGE_CORRUPTED', true],
  [400, xml('RequestTimeout'), 'STORAGE_UNAVAILABLE', true],
  [503, xml('SlowDown', 'Please reduce your request rate.'), 'STORAGE_UNAVAILABLE', true],
  [500, xml('InternalError'), 'STORAGE_UNAVAILABLE', true],
  [502, '<html><body>Bad Gateway<br></body></html>', 'STORAGE_UNAVAILABLE', true],
  [429, '', 'STORAGE_UNAVAILABLE', true],
  [501, xml('NotImplemented'), 'STORAGE_REFUSED', false],
  [507, '', 'STORAGE_FULL', false],
  [403, xml('QuotaExceeded'), 'STORAGE_FULL', false],
  [400, xml('InvalidStorageClass'), 'STORAGE_REFUSED', false],
])('%i %s means %s (retryable: %s)', async (status, body, code, retryable) => {
  expect(await refusalOf(() => new Response(body, { status }))).toMatchObject({ code, status, retryable })
})

describe('words', () => {
  test('an echoed secret is struck out', async () => {
    const message = 'no: the+secret/key of AKIDEXAMPLE'
    const { words } = await refusalOf(() => new Response(xml('AccessDenied', message), { status: 403 }))
    expect(words).toBe('AccessDenied: no: *** of ***')
  })

  test('control characters and essays are cut short', async () => {
    const message = `one&#10;two ${'blah '.repeat(1000)}`
    const { words } = await refusalOf(() => new Response(xml('AccessDenied', message), { status: 403 }))
    expect(words).toMatch(/^AccessDenied: one two blah/)
    expect(words.length).toBeLessThan(310)
  })

  test('entities are not expanded, and no more than 64 KiB is read', async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]><Error><Code>&a;</Code></Error>`
    expect((await refusalOf(() => new Response(bomb, { status: 400 }))).words).toBe('HTTP 400')
    let pulled = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled += 16_384
        controller.enqueue(new Uint8Array(16_384).fill(97))
      },
    })
    expect(await refusalOf(() => new Response(endless, { status: 500 }))).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(pulled).toBeLessThan(200_000)
  })

  test('why a connection failed is not told', async () => {
    const refusal = await refusalOf(() => Promise.reject(new TypeError('connect ECONNREFUSED 10.0.0.7:443')))
    expect(refusal).toMatchObject({ code: 'STORAGE_UNREACHABLE', words: '', status: 0 })
    expect(refusal.message).toBe('The storage endpoint did not answer.')
  })
})

test('a server that asks for patience is heard', async () => {
  const refusal = await refusalOf(() => new Response('', { status: 503, headers: { 'retry-after': '7' } }))
  expect(refusal.retryAfterMs).toBe(7000)
})

test('a completion that fails after its 200 is a refusal', async () => {
  const late = bucketOf(() => new Response(`   \n${xml('InternalError', 'We encountered an internal error.')}`))
  await expect(late.complete('k', 'id', [])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', retryable: true })
})

test('a 200 that is not S3’s is not taken for a success', async () => {
  const portal = bucketOf(() => new Response('<html>Please log in</html>'))
  await expect(portal.complete('k', 'id', [])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  await expect(portal.createMultipart('k', facts, true)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
})

test('a call that was taken back is no refusal of the bucket’s', async () => {
  const taken = new AbortController()
  const reason = new Error('canceled')
  const bucket = createBucket(settings, {
    fetch: () => {
      taken.abort(reason)
      return Promise.reject(new TypeError('aborted'))
    },
  })
  await expect(bucket.head('k', false, taken.signal)).rejects.toBe(reason)
})
