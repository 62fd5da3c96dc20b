import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadBy, StepOrder, StepOutcome, StepResult } from '../../domain/protocol/protocol.ts'
import { noSourceProxies, type SourceProxies } from '../../domain/source-proxies.ts'
import { createEgress, type Egress } from '../egress/egress.ts'
import type { AddressGuard } from '../egress/guard.ts'
import { socketFolderOf } from '../egress/proxy.ts'
import type { SourceProxyFailed } from '../egress/tunnel.ts'
import { failedOutcome, SourceFailure } from '../failures.ts'
import { errorFields, type Log } from '../log.ts'
import type { ExtractorSession } from '../source/extractor/extractor.ts'
import { createWorkerClient, isOutage, LeaseLost, type WorkerClient } from '../worker-client.ts'
import { createProgressReporter } from './progress-reporter.ts'
import { GivenBack, type StepContext, type StepControl, type StepFunction } from './step.ts'

/** What all steps of this container share. */
export interface SharedTools {
  guard: AddressGuard
  /** Default: none. */
  sourceProxies?: SourceProxies
  extractors: { session(): ExtractorSession }
  workRoot: string
  log: Log
}

/** The Worker stopped the step, the job was canceled, or the lease is lost. No outcome is reported. */
class Stopped extends Error {}

/** How long a stopped step may take to release its files and child processes. */
const CLEANUP_TIMEOUT_MS = 2_000
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
  const { maxDiskBytes = Number.POSITIVE_INFINITY } = order.limits
  const needDisk: StepContext['needDisk'] = (bytes, elsewhereBytes = bytes) => {
    if (bytes > maxDiskBytes) return ending.abort(new SourceFailure('MEDIA_TOO_LARGE'))
    if (disk.growTo(bytes)) return
    // Where the step would fit on this disk if it were alone, a guess beyond it would ask for what no container has.
    const mostBytes = bytes <= disk.totalBytes ? disk.totalBytes : maxDiskBytes
    const diskBytes = Math.max(bytes, Math.min(elsewhereBytes, mostBytes))
    ending.abort(new GivenBack('the disk is full', { usesAttempt: false, diskBytes }))
  }
  const onDisk = { needDisk, mostDiskBytes: Math.min(maxDiskBytes, disk.totalBytes) }
  let extractor: ExtractorSession | null = null
  const outcome = await outcomeOf(signal, log, () =>
    withWorkspace({ ...tools, log }, signal, (workspace) => {
      extractor = workspace.extractor
      return step(order, { ...workspace, ...onDisk, signal, worker, progress, log })
    }),
  )
  progress.close()
  ending.clear()
  const code = outcome && 'code' in outcome ? { code: outcome.code } : {}
  log('step ended', { status: outcome?.status ?? 'stopped', ...code, ms: Math.round(performance.now() - startedAt) })
  if (!outcome) return
  const read = readsSource(order) && outcome.status !== 'gaveBack' ? { readBy: readByOf(extractor) } : {}
  const { downloadedBytes } = progress
  const reported = outcome.status === 'done' ? { ...outcome, ...read } : { ...outcome, ...read, downloadedBytes }
  await reportOutcome(reported, worker, log, stopping)
}

const readsSource = (order: StepOrder): boolean => 'url' in order && !('stored' in order && order.stored)

/** What yt-dlp was not asked for, the container has read itself. */
export const readByOf = (extractor: ExtractorSession | null): ReadBy =>
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

export interface Workspace {
  workDir: string
  egress: Egress
  extractor: ExtractorSession
}

/** Runs the work with a folder and an egress of its own, and removes both afterwards. */
export const withWorkspace = async <T>(
  { guard, sourceProxies = noSourceProxies, extractors, workRoot, log }: SharedTools,
  signal: AbortSignal,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> => {
  await mkdir(workRoot, { recursive: true })
  const workDir = await mkdtemp(join(workRoot, 'work-'))
  try {
    const onProxyFailure = logOfProxyFailures(log)
    const egress = createEgress({
      guard,
      sourceProxies,
      onProxyFailure,
      signal,
      socketFolder: socketFolderOf(workRoot),
    })
    const extractor = extractors.session()
    const working = work({ workDir, egress, extractor })
    try {
      return await Promise.race([working, rejectOnAbort(signal)])
    } finally {
      extractor.close()
      await egress.close()
      await Promise.race([working.catch(() => {}), sleep(CLEANUP_TIMEOUT_MS, undefined, { ref: false })])
    }
  } finally {
    await rm(workDir, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Many requests of one step may fail for the same reason. */
const logOfProxyFailures = (log: Log): ((failure: SourceProxyFailed) => void) => {
  const logged = new Set<string>()
  return ({ proxy, reason }) => {
    const text = `${proxy} ${reason}`
    if (!logged.has(text)) log('source proxy failed', { proxy, reason })
    logged.add(text)
  }
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

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
