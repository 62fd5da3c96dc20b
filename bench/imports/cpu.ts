import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fixture, makeFixtures } from '../../test/doubles/origin/fixtures.ts'
import { type Account, importOf, newAccounts } from '../accounts.ts'
import { type Haul, withHauls } from '../start-hauls.ts'
import { median, ratioOf, seconds } from '../timing.ts'
import { type CpuMeter, type CpuSeconds, createCpuMeter } from './cpu-time.ts'

/** How many pages are imported at once, in turns, so that other work on the machine slows both. */
const FEW = 3
const MANY = 8
/** A multiple of both. */
const IMPORTS = 24
/** Webhooks and D1 rows are written after a job has completed. */
const SETTLE_MS = 1_000

/** CPU seconds that one import takes over all processes, alone and among others, in turns with HAUL_BEFORE. */
export const benchCpu = async (print: (line: string) => void, { runs = 3 } = {}): Promise<void> => {
  if (process.getuid?.() !== 0)
    return print('CPU seconds of an import: only root may create the control group that counts them')
  await makeFixtures()
  await withHauls(async ({ hauls, origin, song }) => {
    await makePage(origin.folder)
    const page = `${origin.url}/page/video.html`
    const sides = await Promise.all(hauls.map(openSide))
    try {
      const crowds = [
        { name: 'An mp3 of 480 kB', url: song, atOnce: 1, goal: 0.8 },
        { name: 'A page with a film of 2.8 MB', url: page, atOnce: 1, goal: 0.75 },
        { name: `Such pages, ${FEW} at once`, url: page, atOnce: FEW, goal: 0.75 },
        { name: `Such pages, ${MANY} at once`, url: page, atOnce: MANY, goal: 0.75 },
      ].map((crowd) => ({ ...crowd, measured: sides.map((): Measured[] => []) }))
      for (const { accounts } of sides) for (const url of [song, page]) await importMany(accounts, url, MANY)
      for (let run = 0; run < runs; run++)
        for (const { url, atOnce, measured } of crowds)
          for (const [index, { accounts, meter }] of sides.entries())
            measured[index]?.push(await cpuSecondsOf(meter, () => importMany(accounts, url, atOnce)))
      for (const { name, measured, goal } of crowds) {
        const [ours = [], theirs] = measured
        print(`${name}: ${inWords(ours)}`)
        if (theirs) print(`  of that before: ${ratios(ours, theirs)} (goal ${goal})`)
      }
      const [few, many] = crowds.slice(-2).map(({ measured }) => (measured[0] ?? []).map(({ seconds }) => seconds))
      print(
        `Pages a second of ${MANY} at once, to ${FEW} at once: ${ratioOf(few ?? [], many ?? []).toFixed(2)} (goal 1)`,
      )
    } finally {
      for (const { meter } of sides) await meter.close()
    }
  })
}

const openSide = async (haul: Haul) => ({
  accounts: await newAccounts(haul, MANY),
  meter: await createCpuMeter(haul.pid),
})

/** The film and the picture have the names that /page/video.html uses. */
const makePage = async (folder: string): Promise<void> => {
  await mkdir(join(folder, 'captions'), { recursive: true })
  await copyFile(fixture('still.jpg'), join(folder, 'still.jpg'))
  await copyFile(fixture('captions/en.vtt'), join(folder, 'captions/en.vtt'))
  await copyFile(join(folder, 'film.mp4'), join(folder, 'faststart.mp4'))
}

const importMany = async (accounts: Account[], url: string, atOnce: number): Promise<void> => {
  let left = IMPORTS
  const work = async (account: Account): Promise<void> => {
    while (left-- > 0) await importOf(account, { url })
  }
  await Promise.all(accounts.slice(0, atOnce).map(work))
}

interface Measured {
  seconds: number
  spent: CpuSeconds
}

const cpuSecondsOf = async (meter: CpuMeter, work: () => Promise<unknown>): Promise<Measured> => {
  await sleep(SETTLE_MS)
  const before = await meter.read()
  const taken = await seconds(work)
  await sleep(SETTLE_MS)
  const after = await meter.read()
  const spent = Object.entries(after).map(([name, spent]) => [name, spent - before[name as keyof CpuSeconds]])
  return { seconds: taken, spent: Object.fromEntries(spent) }
}

const sum = (spent: Partial<CpuSeconds>): number => Object.values(spent).reduce((sum, each) => sum + each, 0)

const whole = ({ spent }: Measured): number => sum(spent)

/** Neither is part of a deployment. */
const deployed = ({ spent: { wrangler: _, start: __, ...spent } }: Measured): number => sum(spent)

const ratios = (ours: Measured[], theirs: Measured[]): string => {
  const [all, without] = [whole, deployed].map((total) => ratioOf(ours.map(total), theirs.map(total)).toFixed(2))
  return `${all}, without wrangler and npm start ${without}`
}

const inWords = (runs: Measured[]): string => {
  const each = (total: number) => (total / IMPORTS).toFixed(3)
  const middle = runs.toSorted((one, other) => whole(one) - whole(other))[Math.floor(runs.length / 2)] as Measured
  const parts = Object.entries(middle.spent).map(([name, spent]) => `${name} ${each(spent)}`)
  const perSecond = median(runs.map(({ seconds }) => IMPORTS / seconds)).toFixed(1)
  return `${each(whole(middle))} CPU-s, without wrangler and npm start ${each(deployed(middle))} (${parts.join(', ')}), ${perSecond} a second`
}
