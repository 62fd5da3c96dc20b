import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import cors from '../../../scripts/deploy/cors.json' with { type: 'json' }
import { publicServer } from '../../../self-host/servers/listeners.ts'
import { S3_PATH } from '../../../self-host/servers/upload-parts.ts'
import { listenOnLoopback } from '../../support/loopback.ts'

/** The public server, before a bucket that answers with `status` as miniflare does, and notes what it was sent. */
const inFrontOfBucket = async (status: number) => {
  const received: { method?: string; headers: Record<string, unknown> }[] = []
  const bucket = createServer(({ method = '', headers }, response) => {
    received.push({ method, headers })
    response.writeHead(status, {
      'access-control-allow-origin': 'null',
      'access-control-expose-headers': '*',
      etag: 'e',
    })
    response.end('from the bucket')
  })
  const { url, close } = await listenOnLoopback(bucket)
  const upstream = new URL(url)
  const front = await listenOnLoopback(publicServer({ workerUrl: upstream, toolsUrl: upstream }, 'signed:1'))
  onTestFinished(async () => {
    await front.close()
    await close()
  })
  return { url: `${front.url}${S3_PATH}/uploads/upl_1/1?partNumber=1`, base: front.url, received, closeBucket: close }
}

const origins = ['https://app.example', 'http://localhost:3000', 'null']

test.each(origins)('a page of %s may do what the policy of the bucket on R2 allows, and no more', async (origin) => {
  const { url, received } = await inFrontOfBucket(200)
  const asked = {
    origin,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'x-amz-copy-source',
  }
  const { status, headers } = await fetch(url, { method: 'OPTIONS', headers: asked })
  const [rule] = cors.rules
  expect(cors.rules).toHaveLength(1)
  expect([status, headers.get('access-control-allow-origin')]).toEqual([204, rule?.allowed.origins.join()])
  expect(headers.get('access-control-allow-methods')).toBe(rule?.allowed.methods.join())
  expect(headers.get('access-control-allow-headers')).toBe(rule?.allowed.headers.join())
  expect(headers.get('access-control-expose-headers')).toBe(rule?.exposeHeaders.join())
  expect(headers.get('access-control-max-age')).toBe(`${rule?.maxAgeSeconds}`)
  expect(received).toEqual([])
})

test.each([200, 403])('a page can read the answer %i and its ETag, and the bucket sees two headers', async (status) => {
  const { url, received } = await inFrontOfBucket(status)
  const sent = {
    origin: 'https://app.example',
    'x-amz-copy-source': '/haul-media/media/x',
    'content-type': 'audio/mpeg',
  }
  const response = await fetch(url, { method: 'PUT', body: 'hello', headers: sent })
  expect([response.status, await response.text()]).toEqual([status, 'from the bucket'])
  const { headers } = response
  expect(['allow-origin', 'expose-headers'].map((name) => headers.get(`access-control-${name}`))).toEqual(['*', 'ETag'])
  expect(headers.get('etag')).toBe('e')
  expect(received).toEqual([
    {
      method: 'PUT',
      headers: { host: 'signed:1', 'content-length': '5', 'content-type': 'audio/mpeg', connection: 'keep-alive' },
    },
  ])
})

test('a page can read that the bucket does not answer', async () => {
  const { url, closeBucket } = await inFrontOfBucket(200)
  await closeBucket()
  const response = await fetch(url, { method: 'PUT', body: 'hello' })
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([502, '*'])
})

test.each([
  ['GET', `${S3_PATH}/uploads/upl_1/1`],
  ['PUT', `${S3_PATH}/media/imp_1/1/media`],
  ['OPTIONS', `${S3_PATH}/media/imp_1/1/media`],
  ['OPTIONS', '/import'],
])('%s %s is answered by what is behind the server alone', async (method, path) => {
  const { base, received } = await inFrontOfBucket(200)
  const { headers } = await fetch(base + path, { method, headers: { origin: 'https://app.example' } })
  expect(headers.get('access-control-allow-origin')).toBe('null')
  expect(received).toMatchObject([{ method, headers: { origin: 'https://app.example' } }])
})
