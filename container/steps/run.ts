import type { EngineState, ReadBy, StepOrder, StepOutcome, StepResult } from '../../domain/protocol/protocol.ts'
import { failedOutcome, SourceFailure } from '../failures.ts'
import { errorFields, type Log } from '../log.ts'
import type { TrackedExtractor } from '../source/extractor/versions/extractors.ts'
import { type SharedTools, untilServed } from '../source/routes/until-served.ts'
import { createWorkerClient, isOutage, LeaseLost, type WorkerClient } from '../worker-client.ts'
import type { Disk, DiskReservation } from './disk.ts'
import { createProgressReporter } from './progress.ts'
import { GivenBack, type StepContext, type StepFunction } from './step.ts'

/** Orders are remembered after their end, because a queue may deliver a message again that late. */
const REMEMBERED_ORDERS = 1_000

export interface StepControl {
  /** Aborts with the reason why the step ends early. */
  ending: AbortController
  /** The container stops, and there is little time for an outcome. */
  stopping: AbortSignal
  disk: DiskReservation
  /**
   * Only its outcome is left to report, so another step may start here. The fleet sends one as soon as the outcome has
   * been accepted, and its order may be read before the answer to the outcome.
   */
  endWork(): void
}

interface RunningStep extends StepControl {
  order: StepOrder
  ended: Promise<void>
}

export type StepPool = ReturnType<typeof createStepPool>

/**
 * At most `maxRunning` steps and probes at once. The fleet assigns their places, fairly between accounts. The pool only has
 * a hard limit, for example for two fleets that disagree.
 */
export const createStepPool = (
  { maxRunning, disk }: { maxRunning: number; disk: Disk },
  run: (order: StepOrder, control: StepControl) => Promise<void>,
) => {
  const running = new Map<string, RunningStep>()
  const working = new Set<string>()
  const accepted = new Set<string>()
  const stopping = new AbortController()
  const probes = new Set<Promise<unknown>>()
  let draining = false
  const isFull = () => working.size + probes.size >= maxRunning
  const cancel = (isMeant: (order: StepOrder) => boolean): boolean => {
    const meant = [...running.values()].filter(({ order }) => isMeant(order))
    for (const { ending } of meant) ending.abort(new Stopped())
    return meant.length > 0
  }
  const drain = async (): Promise<void> => {
    draining = true
    await Promise.allSettled([...probes, ...[...running.values()].map(({ ended }) => ended)])
  }
  return {
    accept: (order: StepOrder): 'accepted' | 'full' | 'stopping' => {
      const { jobId, step, attempt } = order
      // Each lease has its own attempt number, so only a duplicate of an order has the same one. A later one means that
      // the account has ended the lease of those before.
      const id = `${jobId} ${step} ${attempt}`
      if (accepted.has(id)) return 'accepted'
      if (draining) return 'stopping'
      cancel((other) => other.jobId === jobId && other.attempt < attempt)
      const reservation = isFull() ? null : disk.reserve(order.diskBytes)
      if (!reservation) return 'full'
      remember(accepted, id)
      const endWork = () => {
        working.delete(id)
        reservation.release()
      }
      const control = { ending: new AbortController(), stopping: stopping.signal, disk: reservation, endWork }
      working.add(id)
      const ended = run(order, control).finally(() => {
        endWork()
        running.delete(id)
      })
      running.set(id, { order, ...control, ended })
      return 'accepted'
    },
    /** null: the container is full, or the pool is stopping, which aborts the signal that the work gets. */
    probe: async <T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> => {
      const signal = AbortSignal.any([outer, stopping.signal])
      if (draining || signal.aborted || isFull()) return null
      const working = work(signal)
      probes.add(working)
      try {
        const result = await working
        return stopping.signal.aborted ? null : result
      } finally {
        probes.delete(working)
      }
    },
    /** The job was canceled: its step ends without reporting an outcome. Returns whether there was such a step. */
    cancel: ({ jobId, attempt }: Pick<StepOrder, 'jobId' | 'attempt'>): boolean =>
      cancel((order) => order.jobId === jobId && order.attempt === attempt),
    get running(): number {
      return running.size + probes.size
    },
    get steps(): EngineState['running'] {
      return [...running.values()].map(({ order: { jobId, step, attempt, accountId, placeId }, disk }) => ({
        jobId,
        step,
        attempt,
        accountId,
        placeId,
        diskBytes: disk.bytes,
      }))
    },
    get draining(): boolean {
      return draining
    },
    /** Accepts no more orders, and resolves when all steps and probes have ended. */
    drain,
    /** Like `drain`, but stops the running steps, which are given back. */
    stop: async (): Promise<void> => {
      stopping.abort()
      const reason = new GivenBack('the container is stopping', { usesAttempt: false })
      for (const { ending } of running.values()) ending.abort(reason)
      await drain()
    },
  }
}

const remember = (accepted: Set<string>, id: string): void => {
  accepted.add(id)
  const [oldest] = accepted
  if (accepted.size > REMEMBERED_ORDERS && oldest !== undefined) accepted.delete(oldest)
}

/** The Worker stopped the step, the job was canceled, or the lease is lost. No outcome is reported. */
class Stopped extends Error {}

const OUTCOME_TIMEOUT_MS = 60_000
/** Hosts kill a stopping container after a few seconds. */
const OUTCOME_TIMEOUT_WHILE_STOPPING_MS = 1_500

export const runStep = async <Order extends StepOrder>(
  order: Order,
  step: StepFunction<Order>,
  tools: SharedTools,
  { ending, stopping, disk, endWork }: StepControl,
): Promise<void> => {
  const ids = { jobId: order.jobId, step: order.step, attempt: order.attempt }
  const log: Log = (event, fields) => tools.log(event, { ...ids, ...fields })
  const startedAt = performance.now()
  log('step started')
  const { signal } = ending
  const { maxDiskBytes, timeoutMs } = order.limits
  const timer = setTimeout(() => ending.abort(new SourceFailure('TIMED_OUT')), timeoutMs)
  const worker = createWorkerClient(order.callback, signal, order.step === 'fetch' ? order.uploads : undefined)
  const progress = createProgressReporter(order, worker, {
    onStop: () => ending.abort(new Stopped()),
    onRejected: (error) => {
      log('progress report rejected', errorFields(error))
      ending.abort(new GivenBack('the Worker rejects the progress reports'))
    },
    onError: (error) => log('progress report failed', errorFields(error)),
  })
  const needDisk: StepContext['needDisk'] = (bytes, elsewhereBytes = bytes) => {
    if (bytes > maxDiskBytes) return ending.abort(new SourceFailure('MEDIA_TOO_LARGE'))
    if (disk.growTo(bytes)) return
    // If the step fits on this disk alone, a guess must not ask for more than that: no container may have it.
    const mostBytes = bytes <= disk.totalBytes ? disk.totalBytes : maxDiskBytes
    const diskBytes = Math.max(bytes, Math.min(elsewhereBytes, mostBytes))
    ending.abort(new GivenBack('the disk is full', { usesAttempt: false, diskBytes }))
  }
  const onDisk = { needDisk, mostDiskBytes: Math.min(maxDiskBytes, disk.totalBytes) }
  const isOfSource = readsSource(order)
  let extractor: TrackedExtractor | null = null
  const outcome = await outcomeOf(signal, log, () =>
    untilServed({
      url: isOfSource ? order.url : null,
      tools: { ...tools, log },
      signal,
      withheld: withheldBy,
      work: (workspace) => {
        extractor = workspace.extractor
        return step(order, { ...workspace, ...onDisk, worker, progress, log })
      },
    }),
  )
  progress.close()
  clearTimeout(timer)
  endWork()
  const code = outcome && 'code' in outcome ? { code: outcome.code } : {}
  log('step ended', { status: outcome?.status ?? 'stopped', ...code, ms: Math.round(performance.now() - startedAt) })
  if (!outcome) return
  const read = isOfSource && outcome.status !== 'gaveBack' ? { readBy: readByOf(extractor) } : {}
  const { downloadedBytes } = progress
  const reported = outcome.status === 'done' ? { ...outcome, ...read } : { ...outcome, ...read, downloadedBytes }
  await reportOutcome(reported, worker, log, stopping)
}

const readsSource = (order: StepOrder): order is StepOrder & { url: string } =>
  'url' in order && !('stored' in order && order.stored)

const withheldBy = (result: StepResult): string | null =>
  result.step === 'captions' ? (result.withheld ?? null) : null

/** The container itself has read what yt-dlp was not asked for. */
export const readByOf = (extractor: TrackedExtractor | null): ReadBy =>
  extractor?.readBy ?? { extractor: 'direct', extractorVersion: null }

const outcomeOf = async (
  signal: AbortSignal,
  log: Log,
  work: () => Promise<StepResult>,
): Promise<StepOutcome | null> => {
  try {
    return { status: 'done', result: await work() }
  } catch (error) {
    // Errors after an abort are consequences of it.
    const reason: unknown = signal.aborted ? signal.reason : error
    if (reason instanceof Stopped || reason instanceof LeaseLost) return null
    if (reason instanceof GivenBack) return reason.outcome
    if (reason instanceof SourceFailure) return failedOutcome(reason)
    if (isOutage(reason)) return { status: 'gaveBack', reason: reason.message, usesAttempt: false }
    log('internal error', errorFields(reason))
    return { status: 'gaveBack', reason: 'internal error' }
  }
}

const reportOutcome = async (outcome: StepOutcome, worker: WorkerClient, log: Log, stopping: AbortSignal) => {
  const timeout = AbortSignal.timeout(OUTCOME_TIMEOUT_MS)
  const shortened = new AbortController()
  const shorten = () => setTimeout(() => shortened.abort(), OUTCOME_TIMEOUT_WHILE_STOPPING_MS).unref()
  if (stopping.aborted) shorten()
  stopping.addEventListener('abort', shorten, { once: true })
  try {
    await worker.reportOutcome(outcome, AbortSignal.any([timeout, shortened.signal]))
  } catch (error) {
    if (!(error instanceof LeaseLost)) log('outcome report failed', errorFields(error))
  } finally {
    stopping.removeEventListener('abort', shorten)
  }
}
