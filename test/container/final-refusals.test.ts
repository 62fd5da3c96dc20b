import { expect, onTestFinished, test } from 'vitest'
import { createGuard, type Lookup } from '../../container/egress/guard.ts'
import { createEgress } from '../../container/egress/outlet.ts'
import { downloadSegments } from '../../container/source/transfer/segments.ts'
import { startOrigin } from '../origin/origin.ts'
import { aSink, never, patience } from './downloading.ts'

const loopback = { address: '127.0.0.1', family: 4 } as const

/** What comes of a segment at that URL, and how often it was tried again. */
async function fetched(urlOn: (port: string) => string, lookup: Lookup = async () => [loopback]) {
  const origin = await startOrigin()
  const { port } = new URL(origin.url)
  const guard = createGuard({ allow: `${origin.host},media.example:${port},closed.example:2`, lookup })
  const egress = await createEgress({ guard })
  onTestFinished(async () => {
    await egress.close()
    await origin.close()
  })
  let waits = 0
  const backoffMs = () => {
    waits += 1
    return 1
  }
  const segments = [{ url: urlOn(port), range: null, key: null }]
  const options = { patience: { ...patience, backoffMs } }
  const transport = { kind: 'segments', segments, headers: {} } as const
  const result = await downloadSegments(transport, egress, await aSink(), never, options).catch((error) => error)
  return { result, waits }
}

const file = '/media/hls-ts/stream_0_000.ts'
const unreachable = { code: 'SOURCE_UNREACHABLE', message: 'SOURCE_UNREACHABLE' }

test.each([
  ['a file of our own', () => 'file:///etc/passwd'],
  ['a scheme that is not HTTP', () => 'rtmp://media.example/live'],
  ['data', () => 'data:video/mp2t;base64,AAAA'],
  ['credentials', (port: string) => `http://user:password@media.example:${port}${file}`],
  ['an address inside', () => 'http://127.0.0.1:2/'],
  ["the address of a cloud's metadata", () => 'http://169.254.169.254/latest/meta-data/'],
  ['a name that leads inside', () => 'http://inside.example/'],
  ['a redirect inside', (port: string) => `http://127.0.0.1:${port}${file}?redirectTo=http%3A%2F%2F127.0.0.1%3A2%2F`],
  ['a redirect to a file', (port: string) => `http://127.0.0.1:${port}${file}?redirectTo=file%3A%2F%2F%2Fetc%2Fpasswd`],
])('%s is not tried again, and looks like anything that cannot be reached', async (_what, urlOn) => {
  const { result, waits } = await fetched(urlOn)
  expect(result).toMatchObject(unreachable)
  expect(waits).toBe(0)
})

test('a port where nobody listens is tried again before it is given up', async () => {
  const { result, waits } = await fetched(() => 'http://closed.example:2/')
  expect(result).toMatchObject(unreachable)
  expect(waits).toBe(patience.attempts - 1)
})

test.each([
  ['cannot be resolved', () => Promise.reject(new Error('EAI_AGAIN'))],
  ['has no address', async () => []],
])('a name that %s right now is asked for again', async (_what, failing: Lookup) => {
  let lookups = 0
  const lookup: Lookup = async (name) => (++lookups === 1 ? await failing(name) : [loopback])
  const { result, waits } = await fetched((port) => `http://media.example:${port}${file}`, lookup)
  expect(result).toMatchObject({ filename: null })
  expect(waits).toBe(1)
})
