import type { ReadBy, StepOrder, StepOutcome, StepResult } from '../../domain/protocol/protocol.ts'
import { failedOutcome, SourceFailure } from '../failures.ts'
import { errorFields, type Log } from '../log.ts'
import type { TrackedExtractor } from '../source/extractor/versions/extractors.ts'
import { type SharedTools, untilServed } from '../source/routes/until-served.ts'
import { createWorkerClient, isOutage, LeaseLost, type WorkerClient } from '../worker-client.ts'
import { createProgressReporter } from './progress-reporter.ts'
import { GivenBack, type StepContext, type StepControl, type StepFunction } from './step.ts'

/** The Worker stopped the step, the job was canceled, or the lease is lost. No outcome is reported. */
class Stopped extends Error {}

const OUTCOME_TIMEOUT_MS = 60_000
/** Hosts kill a stopping container after a few seconds. */
const OUTCOME_TIMEOUT_WHILE_STOPPING_MS = 1_500

/** What the pool runs orders with. */
export const stepRunner =
  (stepFor: (order: StepOrder) => StepFunction, tools: SharedTools) =>
  (order: StepOrder, control: StepControl): Promise<void> =>
    runStep(order, stepFor(order), tools, control)

/** Runs one order, and reports its progress and its outcome. Never rejects. */
export const runStep = async <Order extends StepOrder>(
  order: Order,
  step: StepFunction<Order>,
  tools: SharedTools,
  { stopping, canceled, disk }: StepControl,
): Promise<void> => {
  const ids = { jobId: order.jobId, step: order.step, attempt: order.attempt }
  const log: Log = (event, fields) => tools.log(event, { ...ids, ...fields })
  const startedAt = performance.now()
  log('step started')
  const ending = createStepSignal(order, { stopping, canceled })
  const { signal } = ending
  const worker = createWorkerClient(order.callback, signal)
  const progress = createProgressReporter({
    worker,
    heartbeatMs: order.heartbeatMs,
    agreed: order.agreed,
    onStop: () => ending.abort(new Stopped()),
    onRejected: (error) => {
      log('progress report rejected', errorFields(error))
      ending.abort(new GivenBack('the Worker rejects the progress reports'))
    },
    onError: (error) => log('progress report failed', errorFields(error)),
  })
  const { maxDiskBytes } = order.limits
  const needDisk: StepContext['needDisk'] = (bytes, elsewhereBytes = bytes) => {
    if (bytes > maxDiskBytes) return ending.abort(new SourceFailure('MEDIA_TOO_LARGE'))
    if (disk.growTo(bytes)) return
    // Where the step would fit on this disk if it were alone, a guess beyond it would ask for what no container has.
    const mostBytes = bytes <= disk.totalBytes ? disk.totalBytes : maxDiskBytes
    const diskBytes = Math.max(bytes, Math.min(elsewhereBytes, mostBytes))
    ending.abort(new GivenBack('the disk is full', { usesAttempt: false, diskBytes }))
  }
  const onDisk = { needDisk, mostDiskBytes: Math.min(maxDiskBytes, disk.totalBytes) }
  const isOfSource = readsSource(order)
  let extractor: TrackedExtractor | null = null
  const outcome = await outcomeOf(signal, log, () =>
    untilServed({
      ...{ url: isOfSource ? order.url : null, tools: { ...tools, log }, signal, withheld: withheldBy },
      work: (workspace) => {
        extractor = workspace.extractor
        return step(order, { ...workspace, ...onDisk, signal, worker, progress, log })
      },
    }),
  )
  progress.close()
  ending.clear()
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

/** Captions that exist, and were refused. */
const withheldBy = (result: StepResult): string | null =>
  result.step === 'captions' ? (result.withheld ?? null) : null

/** What yt-dlp was not asked for, the container has read itself. */
export const readByOf = (extractor: TrackedExtractor | null): ReadBy =>
  extractor?.readBy ?? { extractor: 'direct', extractorVersion: null }

/** The step's signal: aborted on timeout, by the Worker, and when the container stops. */
const createStepSignal = (order: StepOrder, { stopping, canceled }: Pick<StepControl, 'stopping' | 'canceled'>) => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new SourceFailure('TIMED_OUT')), order.limits.timeoutMs)
  const giveBack = () => controller.abort(new GivenBack('the container is stopping', { usesAttempt: false }))
  if (stopping.aborted) giveBack()
  const cancel = () => controller.abort(new Stopped())
  stopping.addEventListener('abort', giveBack, { once: true })
  canceled.addEventListener('abort', cancel, { once: true })
  return {
    signal: controller.signal,
    abort: (reason: Error) => controller.abort(reason),
    clear: () => {
      clearTimeout(timer)
      stopping.removeEventListener('abort', giveBack)
      canceled.removeEventListener('abort', cancel)
    },
  }
}

/** Runs the work and turns its result or error into an outcome; null if none is to be reported. */
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
    // Another container may do it, or this one later.
    if (isOutage(reason)) return { status: 'gaveBack', reason: reason.message, usesAttempt: false }
    log('internal error', errorFields(reason))
    return { status: 'gaveBack', reason: 'internal error' }
  }
}

const reportOutcome = async (
  outcome: StepOutcome,
  worker: WorkerClient,
  log: Log,
  stopping: AbortSignal,
): Promise<void> => {
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
