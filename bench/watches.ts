import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHaul } from '../scripts/start/haul.ts'
import { makeFixtures } from '../test/doubles/origin/fixtures.ts'
import { type AccountClient, newAccountClient } from '../test/support/product/api-client.ts'
import { percentile, ratioOf } from './timing.ts'

const ACCOUNTS = 10
const WATCHES = 100
const ROUNDS = 3
/** A watch is polled once a minute at most. */
const BETWEEN_MS = 61_000
const MEASURED_MS = 50_000
const REQUESTS_PER_SECOND = 10

/** What requests of a caller take while 1,000 watches of other accounts are polled within a minute, and without. */
export const benchWatches = async (print: (line: string) => void): Promise<void> => {
  await makeFixtures()
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const feeds = await startFeeds()
  const env = { ...process.env, ALLOW_PRIVATE_HOSTS: feeds.host }
  const haul = await startHaul({ stateDir: join(folder, 'state'), env })
  try {
    const caller = await newAccountClient(haul)
    const followers = await Promise.all(Array.from({ length: ACCOUNTS }, () => newAccountClient(haul)))
    const watches = (await Promise.all(followers.map((client) => started(client, feeds.host)))).flat()
    await until(async () => (await Promise.all(followers.map(countStarting))).every((count) => count === 0))
    const [refused, beside]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(BETWEEN_MS)
      const asked = feeds.asked()
      beside.push(percentile(await besidePolls(caller, watches), 0.99))
      await until(async () => feeds.asked() - asked >= watches.length)
      // The same requests are refused within a minute, and nothing is polled.
      refused.push(percentile(await besidePolls(caller, watches), 0.99))
    }
    print(
      `${watches.length} watches polled within ${MEASURED_MS / 1_000} s: p99 of a request ${ms(beside)}, without polls ${ms(refused)}, ratio ${ratioOf(beside, refused).toFixed(2)}`,
    )
  } finally {
    await haul.stop()
    await feeds.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const ms = (seconds: number[]): string => seconds.map((each) => `${(each * 1_000).toFixed(0)} ms`).join(', ')

/** Feeds that have not changed. */
const startFeeds = async () => {
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    const headers = { 'content-type': 'application/rss+xml', etag: '"1"' }
    if (request.headers['if-none-match'] === '"1"') response.writeHead(304, headers).end()
    else response.writeHead(200, headers).end('<rss version="2.0"><channel><title>A feed</title></channel></rss>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    close: async () => void server.close(),
  }
}

interface Watched {
  client: AccountClient
  watchId: string
}

const started = async (client: AccountClient, host: string) => {
  const watches: Watched[] = []
  for (let watch = 0; watch < WATCHES; watch++) {
    const { watchId } = await client.post<{ watchId: string }>('/watches', { url: `http://${host}/${watch}.xml` })
    watches.push({ client, watchId })
  }
  return watches
}

/** One that was due a little later may have come with the round of another. Then it is refused. */
const poll = ({ client, watchId }: Watched) => client.request('POST', `/watches/${watchId}/poll`, {})

const countStarting = async (client: AccountClient): Promise<number> => {
  const { watches } = await client.get<{ watches: { status: string }[] }>('/watches?limit=100')
  return watches.filter(({ status }) => status === 'starting').length
}

const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await sleep(200)
}

/** Seconds of requests that are sent at a steady rate, whatever their answers take, while polls are asked for at another. */
const besidePolls = async (caller: AccountClient, watches: Watched[]): Promise<number[]> => {
  const times: Promise<number>[] = []
  const polls: Promise<unknown>[] = []
  const from = performance.now()
  for (let passed = 0; passed < MEASURED_MS; passed = performance.now() - from) {
    const wanted = Math.ceil((passed / MEASURED_MS) * watches.length)
    for (const watch of watches.slice(polls.length, wanted)) polls.push(poll(watch))
    times.push(timeOf(caller))
    await sleep(1_000 / REQUESTS_PER_SECOND)
  }
  for (const watch of watches.slice(polls.length)) polls.push(poll(watch))
  await Promise.all(polls)
  return Promise.all(times)
}

const timeOf = async (client: AccountClient): Promise<number> => {
  const from = performance.now()
  await client.get('/batches')
  return (performance.now() - from) / 1_000
}
