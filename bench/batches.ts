import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { itemSlots } from '../domain/batches/slots.ts'
import { startHaul } from '../scripts/start/haul.ts'
import { makeFixtures } from '../test/doubles/origin/fixtures.ts'
import { startOrigin } from '../test/doubles/origin/origin.ts'
import { type Account, importOf, newAccount } from './accounts.ts'
import { median, seconds } from './timing.ts'

const ITEMS = 100
const ROUNDS = 3
/** The jobs that an account may have at once: by default, and of a larger customer. */
const LIMITS = [2, 9]
const POLL_MS = 100

/**
 * A batch of small imports, compared with the same imports sent one by one by a client that waits for each, with as many
 * at once as the batch may have. They take turns, so that other work on the machine slows both.
 */
export const benchBatches = async (print: (line: string) => void): Promise<void> => {
  await makeFixtures()
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const origin = await startOrigin()
  const env = { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host }
  const haul = await startHaul({ stateDir: join(folder, 'state'), env })
  const urls = Array.from({ length: ITEMS }, (_, index) => `${origin.url}/media/faststart.mp4?${index}`)
  try {
    for (const limit of LIMITS) {
      const account = await newAccount(haul, limit)
      const atOnce = itemSlots(limit)
      await importsOf(account, urls.slice(0, 10), atOnce)
      const rounds: { single: number; batch: number }[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const single = await seconds(() => importsOf(account, urls, atOnce))
        rounds.push({ single, batch: await seconds(() => batchOf(account, urls)) })
      }
      const ratio = median(rounds.map(({ single, batch }) => batch / single))
      const [single, batch] = [median(rounds.map(({ single }) => single)), median(rounds.map(({ batch }) => batch))]
      print(
        `${ITEMS} small imports, ${atOnce} at once: one by one ${single.toFixed(1)} s, as a batch ${batch.toFixed(1)} s, ` +
          `ratio ${ratio.toFixed(2)} (goal 1.1)`,
      )
    }
  } finally {
    await haul.stop()
    await origin.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const importsOf = async (account: Account, urls: string[], atOnce: number): Promise<void> => {
  const waiting = [...urls]
  const work = async (): Promise<void> => {
    for (let url = waiting.shift(); url; url = waiting.shift()) await importOf(account, { url })
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

interface Batch {
  batchId: string
  status: string
  counts: { completed: number }
}

const batchOf = async (account: Account, urls: string[]): Promise<void> => {
  let batch = await account.post<Batch>('/batches', { urls, import: {} })
  while (batch.status === 'queued' || batch.status === 'running') {
    await sleep(POLL_MS)
    batch = await account.get<Batch>(`/batches/${batch.batchId}`)
  }
  if (batch.counts.completed !== urls.length) throw new Error(JSON.stringify(batch))
}
