import type { FaultClass } from '../faults/fault-classes.ts'
import type { Violation } from '../invariants/seen.ts'
import { registerProduct } from '../platform/modules.ts'

/** A process of `Processes`: runs the history of each seed that it gets, and reports it. */
export interface HistoryReport {
  seed: string
  violations: Violation[]
  acts: Record<string, number>
  faults: Record<FaultClass, number>
  events: number
  commits: number
  jobs: number
}

const { acts, faults, mutant } = JSON.parse(process.argv[2] ?? '{}') as {
  acts: number
  faults: FaultClass[] | null
  mutant: string | null
}
registerProduct(mutant)
// To record where an error was made takes longer than to throw it. `--seed` repeats a history with all of that.
Error.stackTraceLimit = 0
const { runHistory } = await import('../history.ts')

process.on('message', (seed: string) => {
  runHistory({ seed, acts, faults, stopsEarly: mutant !== null }).then(
    (result) => {
      const { violations, events, commits, jobs } = result
      process.send?.({ seed, violations, events, commits, jobs, acts: result.acts, faults: result.faults })
    },
    (cause) => {
      process.stderr.write(`seed ${seed}: ${cause instanceof Error ? cause.stack : cause}\n`)
      process.exit(1)
    },
  )
})
