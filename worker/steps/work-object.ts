import { DurableObject } from 'cloudflare:workers'
import { asTranscription } from '../../domain/jobs/job.ts'
import { leaseInWorker } from '../account/jobs/steps.ts'
import {
  type ContainerMessage,
  messageVersions,
  type PollMessage,
  type StepMessage,
  type WorkerMessage,
} from '../account/queue-messages.ts'
import { listPlaylist } from '../batches/list-playlist.ts'
import { cleanUpCopy } from '../bucket/clean-up.ts'
import { deliver } from '../bucket/deliver.ts'
import { recognizeInWorker } from './recognize-in-worker.ts'
import { isRecognizedInWorker } from './recognizers.ts'
import { leaseOf } from './start-step.ts'

interface StoredWork {
  id: string
  work: LongWork
  /** Kept when the object ends during a run, so that the next run continues the same attempt. */
  lease: string
}

/**
 * Each run is an alarm, which has 15 minutes. The platform repeats, with backoff, the alarm of an object that has ended
 * or that threw. If it gives up, the account sends its message again.
 */
export class WorkObject extends DurableObject<Env> {
  /** The work runs after the run that may be under way, and finds out whether it is still needed. */
  async start(work: LongWork): Promise<void> {
    const { storage } = this.ctx
    const known = this.#stored()
    const isKnown = known !== undefined && JSON.stringify(known.work) === JSON.stringify(work)
    const lease = isKnown ? known.lease : leaseInWorker()
    storage.kv.put<StoredWork>(KEY, { id: crypto.randomUUID(), work, lease })
    await storage.setAlarm(Date.now())
  }

  override async alarm({ retryCount } = { retryCount: 0 }): Promise<void> {
    const stored = this.#stored()
    if (!stored) return
    const { id, work, lease } = stored
    // Of a later release, before a rollback. The alarm is repeated, and in the end the account sends its message again.
    if (!messageVersions.includes(work.v)) throw new Error(`This version does not know work of version ${work.v}.`)
    await doWork(this.env, work, { lease, deaths: retryCount })
    // Other work may have come meanwhile. Its alarm follows.
    if (this.#stored()?.id === id) await this.ctx.storage.deleteAll()
  }

  #stored(): StoredWork | undefined {
    return this.ctx.storage.kv.get<StoredWork>(KEY)
  }
}

const KEY = 'work'

export type LongWork = Exclude<StepMessage, ContainerMessage | PollMessage>

/** One object for each. A job is at one step at a time. */
export const nameOfWork = (work: LongWork): string => {
  if ('batchId' in work) return `list ${work.batchId}`
  return 'leftBy' in work ? `cleanup ${work.leftBy.jobId}` : `step ${work.jobId}`
}

/** How one run is made. `lease`: of its step. `deaths`: how many runs under this lease have stopped without reporting. */
export interface WorkRun {
  lease: string
  deaths: number
}

export const doWork = (env: Env, work: LongWork, run: WorkRun): Promise<unknown> => {
  if ('batchId' in work) return listPlaylist(env, work)
  return 'leftBy' in work ? cleanUpCopy(env, work.accountId, work.leftBy.jobId) : runStep(env, work, run)
}

/** Objects are reset for many reasons, such as a deploy. After this many times the step counts as the cause, and uses an attempt. */
const MAX_DEATHS = 3

const runStep = async (
  env: Env,
  { accountId, jobId, step, attempt }: WorkerMessage,
  run: WorkRun,
): Promise<unknown> => {
  const account = env.ACCOUNTS.getByName(accountId)
  // A request of the run before may still reach the bucket, so a copy goes on when that run's lease has ended.
  if (step === 'deliver') return deliver(env, accountId, jobId)
  if (run.deaths >= MAX_DEATHS) return account.giveBack({ jobId, lease: run.lease })
  const claimed = await account.claim(jobId, step, run.lease, attempt)
  if (!claimed) return
  const speech = asTranscription(claimed.job)
  const lease = leaseOf(accountId, step, claimed)
  if (speech && isRecognizedInWorker(env, speech)) return recognizeInWorker(env, speech, lease)
  // The operator has changed where speech is recognized since the message was sent.
  return account.giveBack(lease, { isUsed: false })
}
