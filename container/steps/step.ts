import type { StepOrder, StepOutcome, StepResult } from '../../domain/protocol/protocol.ts'
import type { Egress } from '../egress/egress.ts'
import type { Log } from '../log.ts'
import type { Extractor } from '../source/resolve.ts'
import type { WorkerClient } from '../worker-client.ts'
import type { DiskReservation } from './disk.ts'
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
  /** The most that a step may need. */
  mostDiskBytes: number
  /**
   * The step's files need this much in all. If it is not free, the step is given back, for a container that has
   * `elsewhereBytes`.
   */
  needDisk(bytes: number, elsewhereBytes?: number): void
  log: Log
}

/** What the pool that runs a step can do to it. */
export interface StepControl {
  /** The container stops, so the step is given back. */
  stopping: AbortSignal
  /** The job was canceled, so the step ends without an outcome. */
  canceled: AbortSignal
  disk: DiskReservation
}

type GivenBackOutcome = Extract<StepOutcome, { status: 'gaveBack' }>

/**
 * The step is not finished, and another attempt runs it, perhaps in another container. `code`: what the job fails with
 * when no attempt is left, if not INTERNAL.
 */
export class GivenBack extends Error {
  readonly outcome: GivenBackOutcome
  constructor(reason: string, more: Omit<GivenBackOutcome, 'status' | 'reason'> = {}) {
    super(reason)
    this.outcome = { status: 'gaveBack', reason, ...more }
  }
}

/**
 * The work of one step. A thrown SourceFailure fails the job. Any other error gives the step back, and another attempt
 * runs.
 */
export type StepFunction<Order extends StepOrder = StepOrder> = (
  order: Order,
  context: StepContext,
) => Promise<StepResult>
