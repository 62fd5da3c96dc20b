import type { Random } from '../random.ts'
import type { Act } from './act.ts'
import { batchActs } from './batches.ts'
import { doors } from './doors.ts'
import { keyActs } from './keys.ts'
import { operatorActs } from './operators.ts'
import { reads } from './reads.ts'
import { searchActs } from './search.ts'
import { starts } from './starts.ts'
import { uploadActs } from './uploads.ts'
import { watchActs } from './watches.ts'
import { wordsActs } from './words.ts'

const usual = { ...starts, ...batchActs, ...reads, ...uploadActs, ...doors, ...operatorActs, ...keyActs, ...wordsActs }
const acts = { ...usual, ...watchActs, ...searchActs }
export type ActKind = keyof typeof acts

export const actKinds = Object.keys(acts) as ActKind[]
export const actOf = (kind: ActKind): Act => acts[kind]

export interface PlannedAct {
  /** Its name in the history, which its random numbers follow from. */
  name: string
  kind: ActKind
  account: number
  /** After the beginning. */
  atMs: number
}

const chooserOf = (from: Partial<Record<ActKind, Act>>): ((share: number) => ActKind) => {
  const kinds = Object.keys(from) as ActKind[]
  const totalWeight = kinds.reduce((sum, kind) => sum + actOf(kind).weight, 0)
  return (share) => {
    let left = share * totalWeight
    for (const kind of kinds) {
      left -= actOf(kind).weight
      if (left < 0) return kind
    }
    return 'import'
  }
}

const usualKind = chooserOf(usual)
const kindOfWatches = chooserOf(watchActs)
const kindOfSearch = chooserOf(searchActs)

interface Plan {
  count: number
  accounts: number
  lastsMs: number
}

/** All acts of a history, made before it runs. Leaving some out changes nothing about the others. */
export const planOf = (random: Random, plan: Plan): PlannedAct[] =>
  [
    ...plannedOf(random, plan, 'act', usualKind),
    ...plannedOfWatches(random.fork('watches'), plan),
    ...plannedOfSearch(random.fork('search'), plan),
  ].sort((a, b) => a.atMs - b.atMs)

const plannedOf = (
  random: Random,
  { count, accounts, lastsMs }: Plan,
  name: string,
  kindAt: (share: number) => ActKind,
): PlannedAct[] =>
  Array.from({ length: count }, (_, index): PlannedAct => {
    const own = random.fork(`${index}`)
    const kind = kindAt(own.next())
    return { name: `${name}-${index}`, kind, account: own.between(0, accounts - 1), atMs: own.between(0, lastsMs) }
  })

/** Half of the histories have watches too. They last longer, so the others find what needs many histories. */
const plannedOfWatches = (random: Random, plan: Plan): PlannedAct[] =>
  random.chance(0.5) ? plannedOf(random, { ...plan, count: Math.ceil(plan.count / 2) }, 'watch', kindOfWatches) : []

const plannedOfSearch = (random: Random, plan: Plan): PlannedAct[] =>
  random.chance(0.5) ? plannedOf(random, { ...plan, count: Math.ceil(plan.count / 3) }, 'search', kindOfSearch) : []
