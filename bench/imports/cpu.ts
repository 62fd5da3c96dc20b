import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Haul, startHaul } from '../../scripts/start/haul.ts'
import { fixture, makeFixtures } from '../../test/doubles/origin/fixtures.ts'
import { startOrigin } from '../../test/doubles/origin/origin.ts'
import { type AccountClient, createApiClient, newAccountClient } from '../../test/support/product/api-client.ts'
import { makeFilm, makeSong } from '../media.ts'
import { median, seconds } from '../timing.ts'
import { type CpuMeter, type CpuSeconds, createCpuMeter } from './cpu-time.ts'

const WARM_UP = 5
const IMPORTS = 30
/** How many pages are imported at once, in turns, so that other work on the machine slows both. */
const FEW = 3
const MANY = 8
/** A multiple of both. */
const PAGES = 48
const ROUNDS = 3
/** Webhooks and D1 rows are written after a job has completed. */
const SETTLE_MS = 1_000

/** CPU seconds that one import takes over all processes, alone and among others. */
export const benchCpu = async (print: (line: string) => void): Promise<void> => {
  if (process.getuid?.() !== 0)
    return print('CPU seconds of an import: only root may create the control group that counts them')
  await makeFixtures()
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const root = join(folder, 'media')
  await makeMedia(root)
  const origin = await startOrigin({ root })
  const env = { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host }
  const haul = await startHaul({ stateDir: join(folder, 'state'), env })
  const meter = createCpuMeter(haul.containerPid)
  try {
    const { read } = await meter
    const clients = await Promise.all(Array.from({ length: MANY }, () => clientWithoutLimits(haul)))
    const importOf = async (url: string, client = clients[0] as AccountClient): Promise<void> => {
      const job = await client.ended(await client.start({ url }))
      if (job.status !== 'completed') throw new Error(`${url}: ${job.code}`)
    }
    const measured = async (name: string, url: string, goal: string): Promise<void> => {
      for (let i = 0; i < WARM_UP; i++) await importOf(url)
      const { spent } = await cpuSecondsOf(read, async () => {
        for (let i = 0; i < IMPORTS; i++) await importOf(url)
      })
      print(`${name}: ${perImport(spent, IMPORTS)} (goal ${goal})`)
    }
    await measured('An mp3 of 480 kB', `${origin.url}/media/song.mp3`, '0.1 CPU-s')
    const page = `${origin.url}/page/video.html`
    await measured('A page with a film of 2.8 MB', page, '0.17 CPU-s')

    const crowd = async (atOnce: number): Promise<Crowd> => {
      let left = PAGES
      const importPages = async (client: AccountClient): Promise<void> => {
        while (left-- > 0) await importOf(page, client)
      }
      return cpuSecondsOf(read, () => Promise.all(clients.slice(0, atOnce).map(importPages)))
    }
    await crowd(MANY)
    const rounds: { few: Crowd; many: Crowd }[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push({ few: await crowd(FEW), many: await crowd(MANY) })
    for (const [atOnce, crowds] of [
      [FEW, rounds.map(({ few }) => few)],
      [MANY, rounds.map(({ many }) => many)],
    ] as const) {
      const perSecond = median(crowds.map(({ seconds }) => PAGES / seconds))
      const spent = crowds
        .map(({ spent }) => spent)
        .toSorted((one, other) => total(one) - total(other))[1] as CpuSeconds
      print(`Such pages, ${atOnce} at once: ${perSecond.toFixed(1)} a second, each ${perImport(spent, PAGES)}`)
    }
    const ratio = median(rounds.map(({ few, many }) => few.seconds / many.seconds))
    print(`Pages a second of ${MANY} at once, to ${FEW} at once: ${ratio.toFixed(2)} (goal 1)`)
  } finally {
    await meter.then(({ close }) => close()).catch(() => {})
    await haul.stop()
    await origin.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The film and the picture have the names that /page/video.html uses. */
const makeMedia = async (root: string): Promise<void> => {
  await mkdir(join(root, 'captions'), { recursive: true })
  await copyFile(fixture('still.jpg'), join(root, 'still.jpg'))
  await copyFile(fixture('captions/en.vtt'), join(root, 'captions/en.vtt'))
  await makeSong(join(root, 'song.mp3'))
  await makeFilm(join(root, 'faststart.mp4'))
}

interface Crowd {
  seconds: number
  spent: CpuSeconds
}

const cpuSecondsOf = async (read: CpuMeter['read'], work: () => Promise<unknown>): Promise<Crowd> => {
  await sleep(SETTLE_MS)
  const before = await read()
  const taken = await seconds(work)
  await sleep(SETTLE_MS)
  const after = await read()
  const spent = Object.entries(after).map(([name, spent]) => [name, spent - before[name as keyof CpuSeconds]])
  return { seconds: taken, spent: Object.fromEntries(spent) }
}

/** Wrangler is no part of a deployment. */
const total = ({ wrangler: _, ...spent }: CpuSeconds): number =>
  Object.values(spent).reduce((sum, each) => sum + each, 0)

const perImport = (spent: CpuSeconds, imports: number): string => {
  const each = Object.entries(spent).map(([name, seconds]) => `${name} ${(seconds / imports).toFixed(3)}`)
  return `${(total(spent) / imports).toFixed(3)} CPU-s without wrangler (${each.join(', ')})`
}

const clientWithoutLimits = async (haul: Haul): Promise<AccountClient> => {
  const client = await newAccountClient(haul, { creditDollars: 100 })
  const limits = { requestsPerHour: { import: 10_000, status: 100_000 } }
  const operator = createApiClient(haul.baseUrl, haul.adminToken)
  const { status } = await operator.request('PATCH', `/admin/accounts/${client.accountId}`, { limits })
  if (status !== 200) throw new Error(`the limits were not set: ${status}`)
  return client
}
