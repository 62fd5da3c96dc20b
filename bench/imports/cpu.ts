import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHaul } from '../../scripts/start/haul.ts'
import { fixture, makeFixtures } from '../../test/origin/fixtures.ts'
import { startOrigin } from '../../test/origin/origin.ts'
import { newAccountClient } from '../../test/product/api-client.ts'
import { makeFilm, makeSong } from '../media.ts'
import { type CpuSeconds, createCpuMeter } from './cpu-time.ts'

const WARM_UP = 5
const IMPORTS = 30
/** Webhooks and D1 rows are written after a job has completed. */
const SETTLE_MS = 1_000

/** CPU seconds that one import takes over all processes. */
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
  const meter = createCpuMeter(haul.containerPid, Number(new URL(haul.baseUrl).port))
  try {
    const { read } = await meter
    const client = await newAccountClient(haul, { creditDollars: 100 })
    const importOf = async (url: string): Promise<void> => {
      const job = await client.ended(await client.start({ url }))
      if (job.status !== 'completed') throw new Error(`${url}: ${job.code}`)
    }
    const measured = async (name: string, url: string, goal: string): Promise<void> => {
      for (let i = 0; i < WARM_UP; i++) await importOf(url)
      await sleep(SETTLE_MS)
      const before = await read()
      for (let i = 0; i < IMPORTS; i++) await importOf(url)
      await sleep(SETTLE_MS)
      print(`${name}: ${perImport(before, await read())} (goal ${goal})`)
    }
    await measured('An mp3 of 480 kB', `${origin.url}/media/song.mp3`, '0.2 CPU-s')
    await measured('A page with a film of 2.8 MB', `${origin.url}/page/video.html`, '0.5 CPU-s')
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

const perImport = (before: CpuSeconds, after: CpuSeconds): string => {
  const each = Object.entries(after).map(([name, spent]) => {
    return [name, (spent - before[name as keyof CpuSeconds]) / IMPORTS] as const
  })
  const sum = each.reduce((total, [, spent]) => total + spent, 0)
  return `${sum.toFixed(3)} CPU-s (${each.map(([name, spent]) => `${name} ${spent.toFixed(3)}`).join(', ')})`
}
