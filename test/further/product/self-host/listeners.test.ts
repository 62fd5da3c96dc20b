import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { AwsClient } from 'aws4fetch'
import { beforeAll, expect, test } from 'vitest'
import { dataFolder } from '../../../../self-host/data/data-folder.ts'
import { readSecrets, type Secrets } from '../../../../self-host/data/secrets.ts'
import { newAccountClient } from '../../../support/product/api-client.ts'
import { selfHosting } from './self-hosted.ts'

/** What callers reach, and what only engines reach. No engine runs. */
const site = selfHosting()
/** compose.yaml has the same name. It is only sent, and never looked up. */
const INTERNAL = 'http://haul:8789'

let baseUrl: string
let publicPort: number
let internalPort: number
let adminToken: string
let secrets: Secrets

beforeAll(async () => {
  const { start } = await site.instance({ INTERNAL_URL: INTERNAL })
  const dataDir = await site.dataDir()
  const started = await start(dataDir)
  ;({ baseUrl, adminToken } = started)
  const listening = started.log.find(({ event }) => event === 'listening')
  ;[publicPort, internalPort] = [Number(listening?.port), Number(listening?.internalPort)]
  secrets = await readSecrets(dataFolder(dataDir).secretsFile)
}, 60_000)

/** The bytes of one request and of its answer, because clients tidy up paths. */
const raw = async (port: number, ...lines: string[]): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  const received = socket.toArray()
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  return Buffer.concat(await received).toString()
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)

/** Whose pages they are: the S3 API of the bucket, a page that runs scheduled handlers, a page with all data. */
const toolPaths = [
  'local/r2/s3/haul-media/x',
  'local/scheduled',
  'local/explorer',
  'handler/scheduled',
  'platform-proxy',
]
const spellings = [
  '/cdn-cgi/',
  '//cdn-cgi/',
  '/./cdn-cgi/',
  '/x/../cdn-cgi/',
  '/x/%2e%2e/cdn-cgi/',
  '/cdn%2Dcgi/',
  '/%63dn-cgi/',
  '/cdn-cgi//',
  '/cdn-cgi%2f',
  '/CDN-CGI/',
  '\\cdn-cgi\\',
  '/;/cdn-cgi/',
  'http://127.0.0.1/cdn-cgi/',
  'http://localhost//cdn-cgi/',
  'http://haul:8789/cdn-cgi/',
]

test.each(spellings)('the public port serves nothing of the runtime below %s', async (prefix) => {
  for (const path of toolPaths) {
    for (const host of ['localhost', 'haul:8789', `127.0.0.1:${publicPort}`]) {
      const answer = await raw(publicPort, `GET ${prefix}${path} HTTP/1.1`, `Host: ${host}`)
      const isRefused = answer.includes('"code":"NOT_FOUND"') || statusOf(answer) === 400
      expect(isRefused, `${path} for ${host}: ${answer}`).toBe(true)
      expect(answer).not.toContain('<?xml')
    }
  }
})

test('headers and methods that the runtime understands have no effect on the public port', async () => {
  const tools = `http://localhost/cdn-cgi/local/r2/s3/haul-media/x`
  const answer = await raw(publicPort, 'GET / HTTP/1.1', 'Host: localhost', `MF-Original-URL: ${tools}`)
  expect([statusOf(answer), answer.includes('<title>Haul')]).toEqual([200, true])
  const connected = await raw(publicPort, 'CONNECT miniflare-unsafe-internal-capnp-connect HTTP/1.1', 'Host: x')
  expect(connected).toBe('')
  const upgraded = await raw(publicPort, 'GET /health HTTP/1.1', 'Host: x', 'Upgrade: websocket')
  expect(statusOf(upgraded)).toBe(200)
})

test.each([
  ['two', ['Host: haul', 'Host: evil.example']],
  ['markup in the', ['Host: evil"><script>']],
  ['a path in the', ['Host: haul/x']],
  ['user information in the', ['Host: a:b@haul']],
  ['an impossible port in the', ['Host: haul:99999']],
])('a request with %s Host header is answered with 400', async (_, headers) => {
  expect(statusOf(await raw(publicPort, 'GET /health HTTP/1.1', ...headers))).toBe(400)
})

test.each(['haul', 'haul:8787', '127.0.0.1', '[::1]:8787', 'HAUL.example.'])(
  'Host: %s is an authority',
  async (host) => {
    expect(statusOf(await raw(publicPort, 'GET /openapi.json HTTP/1.1', `Host: ${host}`))).toBe(200)
  },
)

test('the console, its files and the API are served', async () => {
  const types = await Promise.all(
    ['/', '/assets/main.js', '/docs', '/docs/sites', '/openapi.json', '/health'].map(async (path) => {
      const response = await fetch(baseUrl + path)
      await response.body?.cancel()
      return [response.status, response.headers.get('content-type')?.split(';')[0]]
    }),
  )
  expect(types).toEqual([
    [200, 'text/html'],
    [200, 'text/javascript'],
    [200, 'text/html'],
    [200, 'text/html'],
    [200, 'application/json'],
    [200, 'application/json'],
  ])
  const missing = await fetch(`${baseUrl}/nothing`)
  expect([missing.status, await missing.json()]).toMatchObject([404, { code: 'NOT_FOUND' }])
})

interface Answer {
  status: number
  headers: Record<string, unknown>
  body: Buffer
}

/** A signed request to the bucket, as engines send it. */
const s3 = async (method: string, key: string, body?: Buffer, headers = {}): Promise<Answer> => {
  const client = new AwsClient({
    accessKeyId: secrets.MEDIA_S3_ACCESS_KEY_ID,
    secretAccessKey: secrets.MEDIA_S3_SECRET_ACCESS_KEY,
    service: 's3',
    region: 'auto',
  })
  const target = `${INTERNAL}/cdn-cgi/local/r2/s3/haul-media/${key}`
  const { url } = await client.sign(target, { method, aws: { signQuery: true } })
  return send(method, new URL(url), body, headers)
}

const send = async (method: string, { pathname, search, host }: URL, body?: Buffer, headers = {}): Promise<Answer> => {
  const options = { host: '127.0.0.1', port: internalPort, method, path: pathname + search, agent: false }
  const asked = httpRequest({ ...options, headers: { host, ...headers } })
  asked.end(body)
  const [response] = await once(asked, 'response')
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(await response.toArray()) }
}

test('engines write and read the bucket with signed URLs at their own port, and part of a file by its range', async () => {
  const bytes = Buffer.alloc(3_000_000, 'haul')
  expect((await s3('PUT', 'media/test/1', bytes)).status).toBe(200)
  const whole = await s3('GET', 'media/test/1')
  expect([whole.status, whole.body.equals(bytes)]).toEqual([200, true])
  const part = await s3('GET', 'media/test/1', undefined, { range: 'bytes=4-11' })
  expect([part.status, part.body.toString(), part.headers['content-range']]).toEqual([
    206,
    'haulhaul',
    'bytes 4-11/3000000',
  ])
  const head = await s3('HEAD', 'media/test/1')
  expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '3000000', 0])
})

test('without a signature, and for all other paths, the port for engines refuses', async () => {
  const unsigned = await send('GET', new URL(`${INTERNAL}/cdn-cgi/local/r2/s3/haul-media/media/test/1`))
  expect(unsigned.status).toBeGreaterThanOrEqual(400)
  const others = ['/', '/health', '/admin/accounts', '/cdn-cgi/local/scheduled', '/cdn-cgi/local/r2/s3/other/x']
  for (const path of [...others, '/cdn-cgi/local/r2/s3/haul-media/../../../scheduled', '/internal/../health']) {
    expect([path, statusOf(await raw(internalPort, `GET ${path} HTTP/1.1`, 'Host: haul:8789'))]).toEqual([path, 404])
  }
  const callback = await send('POST', new URL(`${INTERNAL}/internal/jobs/imp_1/progress`), Buffer.from('{}'))
  expect([callback.status, callback.body.toString()]).toEqual([401, '{"error":"not a lease of this job"}'])
})

test.each(['GET', 'HEAD', 'DELETE', 'POST'])(
  '%s of an upload does not reach the bucket at the public port',
  async (method) => {
    const { status } = await fetch(`${baseUrl}/cdn-cgi/local/r2/s3/haul-media/uploads/upl_x/1`, { method })
    expect(status).toBe(404)
  },
)

test.each(['uploads/../media/test/1', 'uploads/%2e%2e/media/test/1', 'media/test/1', 'uploads'])(
  'PUT to %s does not reach the bucket at the public port',
  async (key) => {
    const target = `/cdn-cgi/local/r2/s3/haul-media/${key}`
    const answer = await raw(publicPort, `PUT ${target} HTTP/1.1`, 'Host: haul:8789', 'Content-Length: 0')
    expect([statusOf(answer), answer.includes('<?xml')]).toEqual([404, false])
  },
)

test('an event arrives when it happens, also for a client that accepts compressed responses', async () => {
  const client = await newAccountClient({ baseUrl, adminToken })
  const jobId = await client.start({ url: `${site.origin.url}/media/faststart.mp4` })
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${client.apiKey}`, 'accept-encoding': 'gzip, deflate, br' }
  const { signal } = leaving
  const response = await fetch(`${baseUrl}/jobs/${jobId}/events`, { headers, signal })
  const events = response.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  let received = ''
  const receive = async (text: string) => {
    while (!received.includes(text)) received += (await events?.next())?.value
  }
  await receive('"status":"queued"')
  await client.remove(`/jobs/${jobId}`)
  await receive('CANCELED')
  leaving.abort()
})

test('wrong operator tokens are limited, whatever address a caller states, and the valid one is not', async () => {
  const statusWith = async (token: string, address: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'cf-connecting-ip': address }
    const response = await fetch(`${baseUrl}/admin/accounts`, { headers })
    await response.body?.cancel()
    return response.status
  }
  const statuses: number[] = []
  // The limit's minute may end in between, but not after every 20th request.
  while (statuses.at(-1) !== 429) statuses.push(await statusWith('wrong', `203.0.113.${statuses.length % 256}`))
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  expect(await statusWith(adminToken, '203.0.113.1')).toBe(200)
})
