import { setTimeout as sleep } from 'node:timers/promises'
import { HaulApiError, type Job } from '../../../../client/src/index.ts'
import type { FullCanary, Trial } from '../trial.ts'
import { checkStored, gigabytes } from './large-file.ts'

const POLL_MS = 1_000
const TIMEOUT_MS = 60 * 60_000

export const deployWhileStepsRun: Trial = {
  title: 'canary: a deployment while steps run',
  run: async (canary) => {
    const { large, haul, sizes } = canary
    if (!large) return 'NOT TESTED: a deployment while steps run, which needs the import of the large file'
    const deploy = await canary.prepareDeploy()
    const starts = Array.from({ length: sizes.imports }, () =>
      haul.import(large.url, { includeVideo: false, wait: false }),
    )
    const jobs = await Promise.all(starts)
    for (const { jobId } of jobs) canary.cleanUps.push(() => haul.jobs.remove(jobId))
    const watch = watchJobs(canary, jobs)
    await watch.until((seen) => seen.every(({ bytes, status }) => bytes > 0 || isEnded(status)))
    // The jobs are polled while the deployment runs. What a poll finds is thrown once the deployment has ended.
    const ended = watch.until((all) => all.every(({ status }) => isEnded(status)))
    ended.catch(() => {})
    const version = await deploy()
    const seen = await ended
    const failed = seen.filter(({ status }) => status !== 'completed')
    const said = `${jobs.length - failed.length} of ${jobs.length} imports of ${gigabytes(large.sizeBytes)} completed across the deployment of ${version}, ${seen.filter(({ restarts }) => restarts > 0).length} of them after another start of their step`
    const requests = `${watch.interrupted()} of ${watch.requests()} requests were answered with 503`
    const [first] = failed
    if (first)
      throw new Error(
        `${said}. ${first.jobId} ended as ${first.status}: ${first.code}. Do not deploy while callers wait until this is understood.`,
      )
    for (const job of seen) await checkStored(job.result ?? { mediaUrl: '', fileSizeBytes: 0 })
    return `${said}; ${requests}`
  },
}

interface Seen {
  jobId: string
  status: string
  bytes: number
  /** How often the bytes became fewer. */
  restarts: number
  code: string | undefined
  result: { mediaUrl: string; fileSizeBytes: number } | undefined
}

const isEnded = (status: string): boolean => !['queued', 'running'].includes(status)

/** Polls jobs as callers do. A refusal other than 503, or a connection that breaks, is what no caller may see. */
const watchJobs = ({ haul }: FullCanary, jobs: readonly { jobId: string }[]) => {
  const seen = jobs.map(
    ({ jobId }): Seen => ({ jobId, status: 'queued', bytes: 0, restarts: 0, code: undefined, result: undefined }),
  )
  let requests = 0
  let interrupted = 0
  const poll = async (each: Seen): Promise<void> => {
    requests += 1
    try {
      const job = (await haul.jobs.get(each.jobId)) as Job & { progress?: { downloadedBytes?: number } }
      const bytes = job.progress?.downloadedBytes ?? each.bytes
      if (bytes < each.bytes) each.restarts += 1
      Object.assign(each, { status: job.status, bytes, code: job.code, result: job.result })
    } catch (error) {
      if (!(error instanceof HaulApiError) || error.status !== 503) throw answerProblem(error)
      interrupted += 1
    }
  }
  return {
    requests: () => requests,
    interrupted: () => interrupted,
    until: async (isReached: (seen: readonly Seen[]) => boolean): Promise<readonly Seen[]> => {
      const end = performance.now() + TIMEOUT_MS
      for (;;) {
        await Promise.all(seen.filter(({ status }) => !isEnded(status)).map(poll))
        if (isReached(seen)) return seen
        if (performance.now() > end) throw new Error(`${seen.map(({ jobId, status }) => `${jobId} is ${status}`)}.`)
        await sleep(POLL_MS)
      }
    },
  }
}

const answerProblem = (error: unknown): Error => {
  const { message } = error as Error
  const answer = error instanceof HaulApiError ? `${error.status} ${error.code}: ${message}` : message
  return new Error(
    `A poll failed during the deployment: ${answer}. Callers may see a 503 with Retry-After, and nothing else.`,
    {
      cause: error,
    },
  )
}
