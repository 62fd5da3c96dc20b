import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHaul } from '../scripts/start/haul.ts'
import { startOrigin } from '../test/doubles/origin/origin.ts'
import { type AccountClient, newAccountClient } from '../test/support/product/api-client.ts'
import { makeFilm, makeSong } from './media.ts'
import { median, medianOf } from './timing.ts'

const ACCOUNTS = 60
const IMPORTS_EACH = 10
/** What the contract allows an account to have at a time. */
const AT_A_TIME = 2
const PAGES = 20

/** How fairly and how fast many accounts are served by one machine, and how fast it imports pages. */
export const benchFleet = async (print: (line: string) => void): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  await makeSong(join(folder, 'song.mp3'))
  await makeFilm(join(folder, 'film.mp4'))
  await writeFile(join(folder, 'film.html'), '<!doctype html><title>A film</title><video src="film.mp4"></video>')
  const origin = await startOrigin({ root: folder })
  const env = { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host }
  const haul = await startHaul({ stateDir: join(folder, 'state'), env })
  try {
    const clients = await Promise.all(Array.from({ length: ACCOUNTS }, () => newAccountClient(haul)))
    const [first] = clients
    if (!first) throw new Error('no account')
    const page = { url: `${origin.url}/media/film.html` }
    await importOf(first, page)
    const one = await medianOf(9, () => importOf(first, page))
    print(`One page with a film of 2.8 MB, from POST to completed: median ${ms(one)} of 9 (goal 400 ms)`)

    const together = await timed(() => Promise.all(clients.slice(0, PAGES).map((client) => importOf(client, page))))
    print(`${PAGES} such pages at once: ${together.seconds.toFixed(1)} s (goal 8 s)`)

    const song = { url: `${origin.url}/media/song.mp3` }
    await importOf(first, song)
    const { seconds, value: waits } = await timed(() => Promise.all(clients.map((client) => waitsOf(client, song))))
    const all = waits.flat()
    const perSecond = all.length / seconds
    const medians = waits.map(median).toSorted((a, b) => a - b)
    const fairWait = (ACCOUNTS * AT_A_TIME) / perSecond
    const slowest = Math.max(...all)
    print(
      `${ACCOUNTS} accounts with ${IMPORTS_EACH} imports of 480 kB: ${perSecond.toFixed(1)} jobs/s, slowest ${slowest.toFixed(1)} s, ` +
        `${(slowest / fairWait).toFixed(2)} of jobs waiting / jobs per second (goal 1.5), ` +
        `medians of accounts ${medians.at(0)?.toFixed(1)} to ${medians.at(-1)?.toFixed(1)} s (goal 1.5 times)`,
    )
  } finally {
    await haul.stop()
    await origin.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The seconds from POST to completed, for each import. */
const waitsOf = async (client: AccountClient, body: object): Promise<number[]> => {
  const waits: number[] = []
  const work = async (): Promise<void> => {
    for (let i = 0; i < IMPORTS_EACH / AT_A_TIME; i++) waits.push((await timed(() => importOf(client, body))).seconds)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return waits
}

const importOf = async (client: AccountClient, body: object): Promise<void> => {
  const job = await client.ended(await client.start(body))
  if (job.status !== 'completed') throw new Error(`${job.code}: ${job.message}`)
}

const timed = async <T>(work: () => Promise<T>): Promise<{ seconds: number; value: T }> => {
  const from = performance.now()
  const value = await work()
  return { seconds: (performance.now() - from) / 1000, value }
}

const ms = (seconds: number): string => `${(seconds * 1000).toFixed(0)} ms`
