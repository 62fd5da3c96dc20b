import { actKinds } from '../acts/plan.ts'
import { type FaultClass, faultClasses } from '../faults/fault-classes.ts'
import type { HistoryResult } from '../history.ts'
import type { HistoryReport } from './one-process.ts'
import type { Options } from './options.ts'

/** Of all histories of a run. */
export interface Counts {
  histories: number
  events: number
  commits: number
  jobs: number
  acts: Map<string, number>
  faults: Map<string, number>
  /** How often each rule was broken. */
  rules: Map<string, number>
}

export const newCounts = (): Counts => ({
  ...{ histories: 0, events: 0, commits: 0, jobs: 0 },
  acts: new Map(actKinds.map((kind) => [kind, 0])),
  faults: new Map(faultClasses.map((name) => [name, 0])),
  rules: new Map(),
})

export const addTo = (counts: Counts, { events, commits, jobs, acts, faults, violations }: HistoryReport): void => {
  counts.histories += 1
  counts.events += events
  counts.commits += commits
  counts.jobs += jobs
  for (const [kind, count] of Object.entries(acts)) counts.acts.set(kind, (counts.acts.get(kind) ?? 0) + count)
  for (const [name, count] of Object.entries(faults)) counts.faults.set(name, (counts.faults.get(name) ?? 0) + count)
  for (const { rule } of violations) counts.rules.set(rule, (counts.rules.get(rule) ?? 0) + 1)
}

/** Fault classes and kinds of acts that did not happen once. */
export const unreached = ({ acts, faults }: Counts): string[] =>
  [...acts, ...faults].filter(([, count]) => count === 0).map(([name]) => name)

export const countsText = ({ acts, faults }: Counts): string => `Acts\n${columns(acts)}\n\nFaults\n${columns(faults)}\n`

const columns = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, count]) => `${`${count}`.padStart(10)}  ${name}`).join('\n')

export const totalsText = ({ histories, events, commits, jobs }: Counts, ms: number): string =>
  `${histories} histories (${(histories / (ms / 1_000)).toFixed(1)} a second), ${jobs} jobs, ${commits} commits, ${events} events`

export const resultText = (seed: string, { violations, jobs, events, commits, ms }: HistoryResult): string => {
  const found = violations.map(
    ({ rule, subject, text, atMs }) => `  ${(atMs / 1_000).toFixed(1)} s  ${rule} [${subject}] ${text}`,
  )
  const head = `Seed ${seed}: ${jobs} jobs, ${commits} commits, ${events} events, ${Math.round(ms / 1_000)} s of virtual time`
  return [`${head}, ${violations.length} violations`, ...found].join('\n')
}

export const commandFor = (
  { acts: count, mutant }: Options,
  seed: string,
  { faults, acts }: { faults?: FaultClass[]; acts?: string[] },
): string => {
  const parts = ['npm run simulate --', `--seed ${seed}`]
  if (count !== 100) parts.push(`--acts ${count}`)
  if (faults) parts.push(`--faults '${faults.join()}'`)
  if (acts) parts.push(`--keep ${acts.join()}`)
  if (mutant !== null) parts.push(`--mutant '${mutant}'`)
  return parts.join(' ')
}
