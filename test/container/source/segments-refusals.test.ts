import { expect, onTestFinished, test } from 'vitest'
import { createEgress } from '../../../container/egress/egress.ts'
import { createGuard, type Lookup } from '../../../container/egress/guard.ts'
import { downloadSegments } from '../../../container/source/transfer/segments.ts'
import { startOrigin } from '../../doubles/origin/origin.ts'
import { aSink, never, retryPolicy } from './downloading.ts'

const loopback = { address: '127.0.0.1', family: 4 } as const

/** The result of downloading a segment from this URL, and the number of retries. */
async function fetched(urlOn: (port: string) => string, lookup: Lookup = async () => [loopback]) {
  const origin = await startOrigin()
  const { port } = new URL(origin.url)
  const guard = createGuard({ allow: `${origin.host},media.example:${port},closed.example:2`, lookup })
  const egress = createEgress({ guard })
  onTestFinished(async () => {
    await egress.close()
    await origin.close()
  })
  let retries = 0
  const backoffMs = () => {
    retries += 1
    return 1
  }
  const segments = [{ url: urlOn(port), range: null, key: null, seconds: null }]
  const options = { retryPolicy: { ...retryPolicy, backoffMs } }
  const transport = { segments, headers: {} }
  const result = await downloadSegments(transport, await aSink(), { egress, signal: never, ...options }).catch(
    (error) => error,
  )
  return { result, retries }
}

const file = '/media/hls-ts/stream_0_000.ts'
const unreachable = { code: 'SOURCE_UNREACHABLE', message: 'SOURCE_UNREACHABLE' }

test.each([
  ['a local file', () => 'file:///etc/passwd'],
  ['a URL with credentials', (port: string) => `http://user:password@media.example:${port}${file}`],
  ['a private address', () => 'http://127.0.0.1:2/'],
  ['a name with a private address', () => 'http://private.example/'],
  [
    'a redirect to a private address',
    (port: string) => `http://127.0.0.1:${port}${file}?redirectTo=http%3A%2F%2F127.0.0.1%3A2%2F`,
  ],
])('%s is not retried and fails like any unreachable source', async (_description, urlOn) => {
  const { result, retries } = await fetched(urlOn)
  expect(result).toMatchObject(unreachable)
  expect(retries).toBe(0)
})

test('a refused connection is retried until the attempts are used up', async () => {
  const { result, retries } = await fetched(() => 'http://closed.example:2/')
  expect(result).toMatchObject(unreachable)
  expect(retries).toBe(retryPolicy.attempts - 1)
})

test.each([
  ['cannot be resolved', () => Promise.reject(new Error('EAI_AGAIN'))],
  ['has no addresses', async () => []],
])('a name that %s at first is looked up again', async (_description, failing: Lookup) => {
  let lookups = 0
  const lookup: Lookup = async (name) => (++lookups === 1 ? await failing(name) : [loopback])
  const { result, retries } = await fetched((port) => `http://media.example:${port}${file}`, lookup)
  expect(result).toBeTypeOf('number')
  expect(retries).toBe(1)
})
