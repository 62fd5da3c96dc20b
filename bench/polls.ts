import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { type Haul, startHaul } from '../scripts/start/haul.ts'
import { makeFixtures } from '../test/doubles/origin/fixtures.ts'
import { startOrigin } from '../test/doubles/origin/origin.ts'
import { newAccountClient } from '../test/support/product/api-client.ts'
import { startBenchWorker } from './start-worker.ts'
import { median, seconds } from './timing.ts'

/** Each account may send 3,600 polls in an hour. */
const ACCOUNTS = 8
const WARM_UP_REQUESTS = 2_000
const REQUESTS = 2_000
const ROUNDS = 9
const CONNECTIONS = 16

/**
 * Polls of completed imports, as callers of `npm start` send them, compared with a bare Hono route that reads one row of
 * an object under `wrangler dev`. They take turns, so that other work on the machine slows both.
 */
export const benchPolls = async (print: (line: string) => void): Promise<void> => {
  await makeFixtures()
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const origin = await startOrigin()
  const haul = await startHaul({
    stateDir: join(folder, 'state'),
    env: { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host },
  })
  const bare = await startBenchWorker(folder, 'bare-route', { persist: join(folder, 'bare'), bindings: bareBindings })
  const [ours, theirs] = [new Pool(haul.baseUrl, pool), new Pool(bare.url, pool)]
  try {
    const polls = await completedImports(haul, `${origin.url}/generated/1000000.mp4`)
    const reads = polls.map((_, index) => ({ path: `/read?object=${index}&id=row` }))
    await requestsPerSecond(ours, polls, WARM_UP_REQUESTS)
    await requestsPerSecond(theirs, reads, WARM_UP_REQUESTS)
    const rounds: { polled: number; read: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const polled = await requestsPerSecond(ours, polls, REQUESTS)
      rounds.push({ polled, read: await requestsPerSecond(theirs, reads, REQUESTS) })
    }
    const polled = median(rounds.map(({ polled }) => polled))
    const read = median(rounds.map(({ read }) => read))
    const ratio = median(rounds.map(({ polled, read }) => polled / read))
    print(`polls: ${polled.toFixed(0)}/s, bare route ${read.toFixed(0)}/s, ratio of rates ${ratio.toFixed(2)}`)
  } finally {
    await Promise.all([ours.close(), theirs.close()])
    await bare.stop()
    await haul.stop()
    await origin.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const pool = { connections: CONNECTIONS }

interface PlannedRequest {
  path: string
  headers?: Record<string, string>
}

const completedImports = async (haul: Haul, url: string): Promise<PlannedRequest[]> => {
  const polls: PlannedRequest[] = []
  for (let account = 0; account < ACCOUNTS; account++) {
    const client = await newAccountClient(haul)
    const jobId = await client.start({ url })
    const { status, message } = await client.ended(jobId)
    if (status !== 'completed') throw new Error(`${status}: ${message}`)
    polls.push({ path: `/import/status?id=${jobId}`, headers: { authorization: `Bearer ${client.apiKey}` } })
  }
  return polls
}

const bareBindings = {
  durable_objects: { bindings: [{ name: 'ROWS', class_name: 'RowObject' }] },
  migrations: [{ tag: 'v1', new_sqlite_classes: ['RowObject'] }],
}

/** Sends the planned requests in turn until `count` were sent, on all connections. */
const requestsPerSecond = async (pool: Pool, planned: PlannedRequest[], count: number): Promise<number> => {
  let sent = 0
  const sendInTurn = async (): Promise<void> => {
    while (sent < count) {
      const { path, headers = {} } = planned[sent++ % planned.length] as PlannedRequest
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`)
    }
  }
  const took = await seconds(() => Promise.all(Array.from({ length: CONNECTIONS }, sendInTurn)))
  return count / took
}
