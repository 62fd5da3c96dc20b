import type { ContainerMessage, StepMessage, WorkerMessage } from '../account/queue-messages.ts'
import { listPlaylist } from '../batches/list-playlist.ts'
import { cleanUpCopy, copyImport } from '../bucket/copy-import.ts'
import { recognizeInWorker } from './recognize-in-worker.ts'
import { isRecognizedInWorker } from './recognizers.ts'
import { leaseOf } from './start-step.ts'

/** What takes minutes in the Worker: a copy to a bucket, recognition, a playlist, and what a copy has left behind. */
export type LongWork = Exclude<StepMessage, ContainerMessage>

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
  if (step === 'deliver') return copyImport(env, accountId, jobId)
  if (run.deaths >= MAX_DEATHS) return account.giveBack({ jobId, lease: run.lease })
  const claimed = await account.claim(jobId, step, run.lease, attempt)
  if (!claimed) return
  const { job } = claimed
  const lease = leaseOf(accountId, step, claimed)
  if (job.kind === 'transcription' && isRecognizedInWorker(env, job)) return recognizeInWorker(env, job, lease)
  // The operator has changed where speech is recognized since the message was sent.
  return account.giveBack(lease, { isUsed: false })
}
