import { describe, expect, test } from 'vitest'
import { utf8 } from '../../../domain/encoding.ts'
import { createBucket } from '../../../worker/bucket/s3/bucket.ts'
import type { BucketRefusal } from '../../../worker/bucket/s3/bucket-refusal.ts'
import { payloadOf } from '../../../worker/bucket/s3/payload.ts'

/** Responses that a correct server never sends, so `fetch` itself is replaced. */
const settings = {
  endpoint: 'https://s3.example.com',
  region: 'auto',
  bucket: 'media',
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'the+secret/key',
  pathStyle: true,
}
const metadata = { contentType: 'video/mp4', contentDisposition: 'inline', sha256: '00' }

const bucketWith = (respond: () => Response | Promise<Response>) =>
  createBucket(settings, { fetch: async () => respond() })
const refusalOf = async (respond: () => Response | Promise<Response>): Promise<BucketRefusal> =>
  bucketWith(respond)
    .put('k', await payloadOf(utf8('x')), metadata, false)
    .then(
      () => Promise.reject(new Error('The request was accepted')),
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

describe('the message of the server', () => {
  test('an echoed secret is redacted', async () => {
    const message = 'no: the+secret/key of AKIDEXAMPLE'
    const { serverMessage } = await refusalOf(() => new Response(xml('AccessDenied', message), { status: 403 }))
    expect(serverMessage).toBe('AccessDenied: no: *** of ***')
  })

  test('control characters are removed and long messages are cut', async () => {
    const message = `one&#10;two ${'blah '.repeat(1000)}`
    const { serverMessage } = await refusalOf(() => new Response(xml('AccessDenied', message), { status: 403 }))
    expect(serverMessage).toMatch(/^AccessDenied: one two blah/)
    expect(serverMessage.length).toBeLessThan(310)
  })

  test('entities are not expanded, and no more than 64 KiB is read', async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]><Error><Code>&a;</Code></Error>`
    expect((await refusalOf(() => new Response(bomb, { status: 400 }))).serverMessage).toBe('HTTP 400')
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

  test('the cause of a failed connection is not disclosed', async () => {
    const refusal = await refusalOf(() => Promise.reject(new TypeError('connect ECONNREFUSED 10.0.0.7:443')))
    expect(refusal).toMatchObject({ code: 'STORAGE_UNREACHABLE', serverMessage: '', status: 0 })
    expect(refusal.message).toBe('The storage endpoint did not respond.')
  })
})

test('Retry-After is respected', async () => {
  const refusal = await refusalOf(() => new Response('', { status: 503, headers: { 'retry-after': '7' } }))
  expect(refusal.retryAfterMs).toBe(7000)
})

test('an error inside the 200 of a completion is a refusal', async () => {
  const failing = bucketWith(() => new Response(`   \n${xml('InternalError', 'We encountered an internal error.')}`))
  await expect(failing.complete('k', 'id', [])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', retryable: true })
})

test('a 200 that is not an S3 response is not a success', async () => {
  const portal = bucketWith(() => new Response('<html>Please log in</html>'))
  await expect(portal.complete('k', 'id', [])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  await expect(portal.createMultipart('k', metadata, true)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
})

test('an aborted request is not a refusal of the bucket', async () => {
  const aborting = new AbortController()
  const reason = new Error('canceled')
  const bucket = createBucket(settings, {
    fetch: () => {
      aborting.abort(reason)
      return Promise.reject(new TypeError('aborted'))
    },
  })
  await expect(bucket.head('k', false, aborting.signal)).rejects.toBe(reason)
})
