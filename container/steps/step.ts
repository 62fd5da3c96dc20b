import type { StepOrder, StepResult } from '../../domain/protocol/protocol.ts'
import type { Egress } from '../egress/egress.ts'
import type { Log } from '../log.ts'
import type { Extractor } from '../source/resolve.ts'
import type { WorkerClient } from '../worker-client.ts'
import type { ProgressReporter } from './progress-reporter.ts'

/** What one run of a step works with. All of it is released when the step ends. */
export interface StepContext {
  /** Aborted on timeout, when the lease is lost, when the Worker stops the step, and when the container stops. */
  signal: AbortSignal
  /** Private to this run and deleted afterwards. */
  workDir: string
  egress: Egress
  extractor: Extractor
  worker: WorkerClient
  progress: ProgressReporter
  log: Log
}

/**
 * The work of one step. A thrown SourceFailure fails the job. Any other error is ours: the step is given back
 * and another attempt runs.
 */
export type StepFunction<Order extends StepOrder = StepOrder> = (
  order: Order,
  context: StepContext,
) => Promise<StepResult>
