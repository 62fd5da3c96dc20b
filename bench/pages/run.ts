import { type Account, byEvents, byWait, importAtOnce, newAccounts, type Wait } from '../accounts.ts'
import { withHauls } from '../start-hauls.ts'
import { median, ratioOf, seconds } from '../timing.ts'
import { idleWhileWaiting } from './idle.ts'
import { howMetubeRan, howToGetMetube, startMetube } from './metube.ts'

const ONE_BY_ONE = 5
const FEW = 20
const MANY = 40

/** Imports pages at once. */
type Import = (pages: string[]) => Promise<unknown>

/**
 * Pages with a film of 2.8 MB, from POST to the answer: one, and 20 and 40 at once, each from an account of its own.
 * Compared with MeTube, and with HAUL_BEFORE. All take turns, so that other work on the machine slows all.
 */
export const benchPages = (print: (line: string) => void, { runs = 3 } = {}): Promise<void> =>
  withHauls(async ({ hauls: [haul, before], newPage, temporary }) => {
    const metube = await startMetube(temporary, print)
    try {
      const accounts = await newAccounts(haul, MANY)
      const accountsBefore = before && (await newAccounts(before, MANY))
      const ours = timesOf(importWith(accounts, byWait))
      const theirs = accountsBefore && timesOf(importWith(accountsBefore, byWait))
      const peer = metube ? timesOf(metube.download) : undefined
      const events = timesOf(importWith(accountsBefore ?? accounts, byEvents))
      const importPages = async (count: number, work: Import): Promise<number> => {
        const pages = await Promise.all(Array.from({ length: count }, newPage))
        return seconds(() => work(pages))
      }
      const sides = [ours, theirs, peer].filter((side) => side !== undefined)
      for (const { work } of sides) await importPages(FEW, work)
      const idle: number[] = []
      for (let run = 0; run < runs; run++) {
        for (let page = 0; page < ONE_BY_ONE; page++)
          for (const { one, work } of sides) one.push(await importPages(1, work))
        for (const { few, work } of sides) few.push(await importPages(FEW, work))
        for (const { many, work } of [ours, events]) many.push(await importPages(MANY, work))
        idle.push(await idleWhileWaiting(haul, () => importPages(FEW, ours.work)))
      }
      for (const [name, times, goal] of [
        ['One page with a film of 2.8 MB', 'one', 0.75],
        [`${FEW} such pages at once`, 'few', 0.8],
      ] as const) {
        const besidePeer = peer
          ? `, ${ratioOf(ours[times], peer[times]).toFixed(2)} of MeTube's time (goal ${goal})`
          : ''
        const besideBefore = theirs ? `, ${ratioOf(ours[times], theirs[times]).toFixed(2)} of that before` : ''
        print(`${name}, from POST to the answer: ${median(ours[times]).toFixed(2)} s${besidePeer}${besideBefore}`)
      }
      const [toFew, toEvents] = [ratioOf(ours.many, ours.few), ratioOf(ours.many, events.many)]
      print(`${MANY} at once: ${toFew.toFixed(2)} of the time of ${FEW} (goal 2.05)`)
      print(`  with wait= ${toEvents.toFixed(2)} of the time with events${theirs ? ' before' : ''} (goal 0.95)`)
      print(`Idle share of all cores while steps wait for places: ${(median(idle) * 100).toFixed(0)} % (goal 8 %)`)
      print(metube ? howMetubeRan : howToGetMetube)
    } finally {
      await metube?.stop()
    }
  })

const importWith =
  (accounts: Account[], wait: Wait): Import =>
  (pages) =>
    importAtOnce(
      accounts,
      pages.map((url) => ({ url })),
      wait,
    )

const timesOf = (work: Import) => ({ work, one: [] as number[], few: [] as number[], many: [] as number[] })
