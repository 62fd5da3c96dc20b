import type { Random } from '../random.ts'

/** By so much the clock of an object may be wrong. */
export const MOST_SKEW_MS = 3_000

/** Every kind of fault, with its share of the occasions at full strength. An occasion is a call, a message, a minute. */
export const fullRates = {
  /** Calls of objects. */
  'call lost': 0.03,
  'answer lost': 0.03,
  'call slow': 0.02,
  /** Messages of WebSockets. */
  'socket message lost': 0.05,
  'socket breaks': 0.05,
  'object overloaded': 0.02,
  /** Calls of the index of words. */
  'index fails': 0.4,
  /** For each 1,000 events. */
  'account killed': 0.25,
  'fleet killed': 0.25,
  'engine object killed': 0.25,
  'metrics killed': 0.25,
  'work killed': 0.25,
  'words killed': 0.25,
  'killed after a commit': 0.02,
  'invocation killed': 0.03,
  /** Requests of callers. */
  'request lost': 0.03,
  'response lost': 0.03,
  /** Reports of containers. */
  'report lost': 0.05,
  'report answer lost': 0.05,
  'send refused': 0.05,
  'send answer lost': 0.03,
  'message lost': 0.05,
  'message twice': 0.1,
  'message late': 0.1,
  'database fails': 0.05,
  'database slow': 0.1,
  'bucket fails': 0.05,
  'storage request fails': 0.05,
  'alarm late': 0.1,
  'alarm dropped': 0.05,
  'clock wrong': 0.2,
  /** For each engine and minute. */
  'engine dies': 0.2,
  'engine hangs': 0.2,
  'engine cut off': 0.2,
  'engine drains': 0.4,
  'engine outdated': 0.1,
  /** Starts of containers. */
  'start refused': 0.1,
  'start without an answer': 0.1,
  'step fails': 0.15,
  'step slow': 0.1,
  'receiver fails': 0.2,
  'bucket of a caller fails': 0.1,
  'provider fails': 0.2,
  'provider slow': 0.1,
  /** Reads of a list that is watched. */
  'list fails': 0.2,
  'list slow': 0.1,
} as const

export type FaultClass = keyof typeof fullRates
export type FaultRates = Record<FaultClass, number>

export const faultClasses = Object.keys(fullRates) as FaultClass[]

/** Faults that can interrupt the Worker, or its long work, between two of its writes. */
export const endsActs: FaultClass[] = [
  'invocation killed',
  'work killed',
  'account killed',
  'killed after a commit',
  'call lost',
  'answer lost',
  'call slow',
  'object overloaded',
  'bucket fails',
]

const strengths = [0.1, 0.3, 1]

/**
 * The faults of one history: each class is on or off, with a strength of its own. Histories with few classes find what the
 * noise of many would hide. Each class has a random stream of its own, so that removing one leaves the others as they are.
 */
export const ratesOf = (random: Random, only: readonly FaultClass[] | null = null): FaultRates => {
  const share = [0, 0.15, 0.5, 0.9][random.between(0, 3)] ?? 0
  const rates = faultClasses.map((name): [FaultClass, number] => {
    const own = random.fork(name)
    const isOn = own.chance(share)
    const strength = strengths[own.between(0, strengths.length - 1)] ?? 0
    if (only) return [name, only.includes(name) ? fullRates[name] * strength : 0]
    return [name, isOn ? fullRates[name] * strength : 0]
  })
  return Object.fromEntries(rates) as FaultRates
}
