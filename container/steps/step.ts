import type { Egress } from '../egress/egress.ts'
import type { Log } from '../log.ts'
import type { Outcome, StepOrder } from '../protocol.ts'
import type { Extractor } from '../source/resolve.ts'
import type { Worker } from '../worker.ts'
import type { Report } from './report.ts'

/** What a step works with. Everything in it ends with the step. */
export interface StepContext {
  /** Aborted when the step must end: its time is up, nobody wants it any more, or the container stops. */
  signal: AbortSignal
  /** A folder of its own, removed afterwards. */
  workDir: string
  egress: Egress
  extractor: Extractor
  worker: Worker
  report: Report
  log: Log
}

export type StepResult = Extract<Outcome, { status: 'done' }>['result']

/**
 * One kind of work. It throws SourceFailure when the work can't be done, which ends the job; whatever else
 * it throws is our fault, and another attempt runs.
 */
export type Step<Order extends StepOrder = StepOrder> = (order: Order, context: StepContext) => Promise<StepResult>
