import type { FailureCode } from '../../domain/codes/failures.ts'
import type { AudioOrder, CaptionsOrder, StepOrder, StepOutcome, StepResult } from '../../domain/protocol/protocol.ts'
import type { Egress } from '../egress/egress.ts'
import { createStorageEgress } from '../egress/storage.ts'
import { SourceFailure } from '../failures.ts'
import type { Log } from '../log.ts'
import type { Extractor } from '../source/resolve.ts'
import { Interrupted } from '../source/transfer/retry-policy.ts'
import { EngineUnavailable } from '../speech/model-folder.ts'
import type { WorkerClient } from '../worker-client.ts'
import type { ProgressReporter } from './progress.ts'

export interface StepContext {
  /** Aborted on timeout, when the lease is lost, when the Worker stops the step, and when the container stops. */
  signal: AbortSignal
  workDir: string
  egress: Egress
  extractor: Extractor
  worker: WorkerClient
  progress: ProgressReporter
  mostDiskBytes: number
  /** Reserves space for all files of the step. If too little is free, the step goes to a container that has `elsewhereBytes`. */
  needDisk(bytes: number, elsewhereBytes?: number): void
  log: Log
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

/** Where a model is missing or damaged, the step is given back for another container. */
export const ifAvailable = async <T>(
  work: Promise<T>,
  { event, reason, code }: { event: string; reason: string; code: FailureCode },
  { log }: Pick<StepContext, 'log'>,
): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error
    // The reason names paths of this machine, so it is only logged.
    log(event, { reason: error.reason })
    throw new GivenBack(reason, { code })
  }
}

/** A thrown SourceFailure fails the job. Any other error gives the step back, and another attempt runs. */
export type StepFunction<Order extends StepOrder = StepOrder> = (
  order: Order,
  context: StepContext,
) => Promise<StepResult>

/** What the work has started and left running, such as readers of captions, is stopped when it ends or fails. */
export const untilItEnds = async <T>(context: StepContext, work: (running: StepContext) => Promise<T>): Promise<T> => {
  const ended = new AbortController()
  try {
    return await work({ ...context, signal: AbortSignal.any([context.signal, ended.signal]) })
  } finally {
    ended.abort()
  }
}

/** What our own storage refuses or cuts is not the caller's fault: the step is given back, and another attempt reads the file. */
export const orFromStorage =
  <Order extends AudioOrder | CaptionsOrder>(step: StepFunction<Order>): StepFunction<Order> =>
  async (order, context) => {
    if (!order.stored) return step(order, context)
    const egress = createStorageEgress(context.signal)
    try {
      return await step(order, { ...context, egress })
    } catch (error) {
      if (isOfStorage(error)) throw new GivenBack(`storage: ${error.code}`)
      const isTruncated = error instanceof SourceFailure && error.code === 'SOURCE_TRUNCATED'
      throw isTruncated ? new SourceFailure(error.code, 'The file ends too early.', { cause: error }) : error
    }
  }

/** Failures that only a server causes. A bad file is truncated or unsupported. */
const codes = new Set<string>([
  'SOURCE_UNREACHABLE',
  'SOURCE_NOT_FOUND',
  'SOURCE_PRIVATE',
  'SOURCE_BLOCKED',
  'SOURCE_RATE_LIMITED',
])

export const isOfStorage = (error: unknown): error is SourceFailure =>
  error instanceof Interrupted || (error instanceof SourceFailure && codes.has(error.code))
