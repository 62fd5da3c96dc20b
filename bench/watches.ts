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
const MEASURED_MS = 20_000
const REQUESTS_PER_SECOND = 25

/** What requests of a caller take while 1,000 watches of other accounts are polled within a few seconds, and alone. */
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
    const [alone, beside]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(BETWEEN_MS)
      alone.push(percentile(await requestTimes(caller), 0.99))
      const asked = feeds.asked()
      const polls = Promise.all(watches.map(({ client, watchId }) => client.post(`/watches/${watchId}/poll`, {})))
      beside.push(percentile(await requestTimes(caller), 0.99))
      await polls
      await until(async () => feeds.asked() - asked >= watches.length)
    }
    print(
      `${watches.length} watches polled at once: p99 of a request ${ms(beside)}, alone ${ms(alone)}, ratio ${ratioOf(beside, alone).toFixed(2)}`,
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

const started = async (client: AccountClient, host: string) => {
  const watches: { client: AccountClient; watchId: string }[] = []
  for (let watch = 0; watch < WATCHES; watch++) {
    const { watchId } = await client.post<{ watchId: string }>('/watches', { url: `http://${host}/${watch}.xml` })
    watches.push({ client, watchId })
  }
  return watches
}

const countStarting = async (client: AccountClient): Promise<number> => {
  const { watches } = await client.get<{ watches: { status: string }[] }>('/watches?limit=100')
  return watches.filter(({ status }) => status === 'starting').length
}

const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await sleep(200)
}

/** Seconds of requests that are sent at a steady rate, whatever their answers take. */
const requestTimes = async (client: AccountClient): Promise<number[]> => {
  const times: Promise<number>[] = []
  for (const from = performance.now(); performance.now() < from + MEASURED_MS; ) {
    times.push(timeOf(client))
    await sleep(1_000 / REQUESTS_PER_SECOND)
  }
  return Promise.all(times)
}

const timeOf = async (client: AccountClient): Promise<number> => {
  const from = performance.now()
  await client.get('/batches')
  return (performance.now() - from) / 1_000
}
