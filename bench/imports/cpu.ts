import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startHaul } from '../../scripts/start/haul.ts'
import { fixture, makeFixtures } from '../../test/origin/fixtures.ts'
import { startOrigin } from '../../test/origin/origin.ts'
import { type AccountClient, newAccountClient } from '../../test/product/api-client.ts'
import { median, seconds } from '../timing.ts'
import { type CpuSeconds, createCpuMeter } from './cpu-time.ts'

const WARM_UP = 5
const IMPORTS = 30
/** Each account may import two at a time. */
const ACCOUNTS = 10
/** Webhooks and D1 rows are written after a job has completed. */
const SETTLE_MS = 1_000

/** CPU seconds that one import takes over all processes, and how long one page and 20 pages at once take. */
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
    const clients = await Promise.all(Array.from({ length: ACCOUNTS }, () => newAccountClient(haul, 100)))
    const [first] = clients as [AccountClient]
    const importOf = async (url: string, client = first): Promise<void> => {
      const job = await client.ended(await client.start({ url }))
      if (job.status !== 'completed') throw new Error(`${url}: ${job.code}`)
    }
    const measured = async (name: string, url: string, goal: string): Promise<void> => {
      for (let i = 0; i < WARM_UP; i++) await importOf(url)
      await sleep(SETTLE_MS)
      const before = await read()
      const times: number[] = []
      for (let i = 0; i < IMPORTS; i++) times.push(await seconds(() => importOf(url)))
      await sleep(SETTLE_MS)
      print(`${name}: ${perImport(before, await read())} (goal ${goal}), median ${ms(median(times))}`)
    }
    await measured('An mp3 of 480 kB', `${origin.url}/media/tone.mp3`, '0.2 CPU-s')
    const page = `${origin.url}/page/video.html`
    await measured('A page with a film of 2.8 MB', page, '0.5 CPU-s and 400 ms')
    const together = await seconds(() => Promise.all([...clients, ...clients].map((client) => importOf(page, client))))
    print(`${2 * ACCOUNTS} such pages at once: ${together.toFixed(1)} s (goal 8 s)`)
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
  const ffmpeg = (...args: string[]) => promisify(execFile)('ffmpeg', ['-v', 'error', ...args])
  const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100:duration=30']
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=30']
  await ffmpeg(...tone, '-b:a', '128k', join(root, 'tone.mp3'))
  await ffmpeg(
    ...[...picture, ...tone, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
    ...['-b:v', '650k', '-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart', join(root, 'faststart.mp4')],
  )
}

const perImport = (before: CpuSeconds, after: CpuSeconds): string => {
  const each = Object.entries(after).map(([name, spent]) => {
    return [name, (spent - before[name as keyof CpuSeconds]) / IMPORTS] as const
  })
  const sum = each.reduce((total, [, spent]) => total + spent, 0)
  return `${sum.toFixed(3)} CPU-s (${each.map(([name, spent]) => `${name} ${spent.toFixed(3)}`).join(', ')})`
}

const ms = (time: number): string => `${(time * 1000).toFixed(0)} ms`

if (import.meta.main) await benchCpu(console.log)
