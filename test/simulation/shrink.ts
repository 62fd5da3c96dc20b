import { type FaultClass, faultClasses } from './faults/fault-classes.ts'
import { type HistoryOptions, type HistoryResult, runHistory } from './history.ts'

/** What is left of a history that still breaks the rule. */
export interface Smallest {
  faults: FaultClass[]
  /** Names of acts. */
  acts: string[]
  result: HistoryResult
}

/** Tries fewer fault classes, then fewer acts, as long as the same rule is broken. `maxRuns`: it stops after so many. */
export const shrink = async (
  options: HistoryOptions,
  found: HistoryResult,
  rule: string,
  maxRuns: number,
): Promise<Smallest> => {
  let runs = 0
  let result = found
  const breaks = async (faults: readonly FaultClass[], acts: readonly string[]): Promise<boolean> => {
    if (runs >= maxRuns) return false
    runs += 1
    const tried = await runHistory({ ...options, faults, keep: new Set(acts), stopsEarly: isEarly(rule) })
    const isBroken = tried.violations.some((violation) => violation.rule === rule)
    if (isBroken) result = tried
    return isBroken
  }
  let acts = found.plan.map(({ name }) => name)
  let faults = faultClasses.filter((name) => found.faults[name] > 0)
  // The streams of the other classes stay as they are, so most failures survive this.
  if (!(await breaks(faults, acts))) return { faults, acts, result: found }
  faults = await fewer(faults, (fewerFaults) => breaks(fewerFaults, acts))
  acts = await fewer(acts, (fewerActs) => breaks(faults, fewerActs))
  faults = await fewer(faults, (fewerFaults) => breaks(fewerFaults, acts))
  return { faults, acts, result }
}

/** Rules that are checked while a history runs, and not only at its end. */
const isEarly = (rule: string): boolean => !rule.startsWith('at rest')

/** Leaves out halves, then quarters and so on, then single ones. */
const fewer = async <Item>(items: Item[], isEnough: (items: Item[]) => Promise<boolean>): Promise<Item[]> => {
  let left = items
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < left.length; ) {
      const without = [...left.slice(0, start), ...left.slice(start + size)]
      if (await isEnough(without)) left = without
      else start += size
    }
  }
  return left
}
