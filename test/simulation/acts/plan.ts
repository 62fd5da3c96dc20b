import type { Random } from '../random.ts'
import type { Act } from './act.ts'
import { batchActs } from './batches.ts'
import { doors } from './doors.ts'
import { keyActs } from './keys.ts'
import { operatorActs } from './operators.ts'
import { reads } from './reads.ts'
import { starts } from './starts.ts'
import { uploadActs } from './uploads.ts'
import { wordsActs } from './words.ts'

const acts = { ...starts, ...batchActs, ...reads, ...uploadActs, ...doors, ...operatorActs, ...keyActs, ...wordsActs }
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

const totalWeight = actKinds.reduce((sum, kind) => sum + actOf(kind).weight, 0)

const kindAt = (share: number): ActKind => {
  let left = share * totalWeight
  for (const kind of actKinds) {
    left -= actOf(kind).weight
    if (left < 0) return kind
  }
  return 'import'
}

/** All acts of a history, made before it runs. Leaving some out changes nothing about the others. */
export const planOf = (
  random: Random,
  { count, accounts, lastsMs }: { count: number; accounts: number; lastsMs: number },
): PlannedAct[] =>
  Array.from({ length: count }, (_, index): PlannedAct => {
    const own = random.fork(`${index}`)
    const kind = kindAt(own.next())
    return { name: `act-${index}`, kind, account: own.between(0, accounts - 1), atMs: own.between(0, lastsMs) }
  }).sort((a, b) => a.atMs - b.atMs)
