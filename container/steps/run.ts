import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { failures } from '../../worker/domain/codes/failures.ts'
import type { Egress } from '../egress/egress.ts'
import type { Guard } from '../egress/guard.ts'
import { createEgress } from '../egress/outlet.ts'
import { socketFolder } from '../egress/socket-folder.ts'
import { described, type Log } from '../log.ts'
import type { Outcome, StepOrder } from '../protocol.ts'
import { SourceFailure } from '../source/failure.ts'
import type { Extractor } from '../source/resolve.ts'
import { createWorker, LeaseLost, type Worker } from '../worker.ts'
import { createReport } from './report.ts'
import type { Step, StepResult } from './step.ts'

/** What all steps of this container share. */
export interface Tools {
  guard: Guard
  extractor: Extractor
  workRoot: string
  log: Log
}

/** The step ends without a word: its lease is lost, or the Worker said stop and knows why. */
class Dismissed extends Error {}
/** The step ends unfinished, and somebody else may finish it. */
class GivenBack extends Error {}

/** How long an ended step may take to let go of its files and children. */
const LETTING_GO_MS = 2_000
const OUTCOME_TIMEOUT_MS = 60_000
const LAST_WORDS_TIMEOUT_MS = 1_500

/** Runs one order from its first report to its outcome. Never rejects. `stopping` is the end of the container. */
export const runStep = async <Order extends StepOrder>(
  order: Order,
  step: Step<Order>,
  tools: Tools,
  stopping: AbortSignal,
): Promise<void> => {
  const about = { jobId: order.jobId, step: order.step, attempt: order.attempt }
  const log: Log = (event, fields) => tools.log(event, { ...about, ...fields })
  const startedAt = performance.now()
  log('step started')
  const ending = endingOf(order, stopping)
  const worker = createWorker(order.callback, ending.signal)
  const report = createReport({
    worker,
    onStop: () => ending.abort(new Dismissed()),
    onTrouble: (error) => log('progress not told', described(error)),
  })
  const { signal } = ending
  const outcome = await settle(signal, log, () =>
    withMeans(tools, signal, ({ workDir, egress }) =>
      step(order, { signal, workDir, egress, extractor: tools.extractor, worker, report, log }),
    ),
  )
  report.close()
  ending.clear()
  const code = outcome?.status === 'failed' ? { code: outcome.code } : {}
  log('step ended', { status: outcome?.status ?? 'dismissed', ...code, ms: Math.round(performance.now() - startedAt) })
  if (outcome) await tell(outcome, worker, log, stopping)
}

/** What ends a step from outside: its time, the Worker, or the end of the container. */
const endingOf = (order: StepOrder, stopping: AbortSignal) => {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(new SourceFailure('TIMED_OUT')), order.limits.timeoutMs)
  const giveBack = () => ending.abort(new GivenBack('the container is stopping'))
  if (stopping.aborted) giveBack()
  stopping.addEventListener('abort', giveBack, { once: true })
  return {
    signal: ending.signal,
    abort: (reason: Error) => ending.abort(reason),
    clear: () => {
      clearTimeout(timer)
      stopping.removeEventListener('abort', giveBack)
    },
  }
}

interface Means {
  workDir: string
  egress: Egress
}

/** The step's folder and its way out, for as long as it runs. */
const withMeans = async (
  { guard, workRoot }: Tools,
  signal: AbortSignal,
  work: (means: Means) => Promise<StepResult>,
): Promise<StepResult> => {
  await mkdir(workRoot, { recursive: true })
  const workDir = await mkdtemp(join(workRoot, 'step-'))
  try {
    const egress = await createEgress({ guard, signal, socketFolder: socketFolder(workRoot) })
    const working = work({ workDir, egress })
    try {
      return await Promise.race([working, endedBy(signal)])
    } finally {
      await egress.close()
      await Promise.race([working.catch(() => {}), pause(LETTING_GO_MS, undefined, { ref: false })])
    }
  } finally {
    await rm(workDir, { recursive: true, force: true, maxRetries: 3 })
  }
}

const endedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** Turns whatever comes of a step into its outcome; null when there is nobody to tell. */
const settle = async (signal: AbortSignal, log: Log, work: () => Promise<StepResult>): Promise<Outcome | null> => {
  try {
    return { status: 'done', result: await work() }
  } catch (error) {
    // Whatever broke after the end was called is a consequence of it.
    const reason: unknown = signal.aborted ? signal.reason : error
    if (reason instanceof Dismissed || reason instanceof LeaseLost) return null
    if (reason instanceof GivenBack) return { status: 'gaveBack', reason: reason.message }
    if (reason instanceof SourceFailure) return failedWith(reason)
    log('fault', described(reason))
    return { status: 'gaveBack', reason: 'an internal fault' }
  }
}

const failedWith = ({ code, message }: SourceFailure): Outcome => ({
  status: 'failed',
  code,
  message: message === code ? failures[code].message : message,
})

const tell = async (outcome: Outcome, worker: Worker, log: Log, stopping: AbortSignal): Promise<void> => {
  const patience = AbortSignal.timeout(OUTCOME_TIMEOUT_MS)
  const lastWords = new AbortController()
  const hurry = () => setTimeout(() => lastWords.abort(), LAST_WORDS_TIMEOUT_MS).unref()
  if (stopping.aborted) hurry()
  stopping.addEventListener('abort', hurry, { once: true })
  try {
    await worker.outcome(outcome, AbortSignal.any([patience, lastWords.signal]))
  } catch (error) {
    if (!(error instanceof LeaseLost)) log('outcome not told', described(error))
  } finally {
    stopping.removeEventListener('abort', hurry)
  }
}
