import type { ImportJob, Job } from '../../domain/jobs/job.ts'
import { importStatus, type Links, transcriptionStatus } from '../../domain/jobs/job-status.ts'
import { configOf, signingKey } from '../env.ts'
import { mediaLink, THUMBNAIL } from './links.ts'
import { readTranscript } from './transcripts.ts'

/** The job object of status responses and webhooks, with signed media links or the transcript from R2. */
export const presentJob = async (env: Env, job: Job): Promise<object> =>
  job.kind === 'import'
    ? importStatus(job, await signedLinks(env, job))
    : transcriptionStatus(job, await readTranscript(env, job))

const signedLinks = async (env: Env, { id, result }: ImportJob): Promise<Links | null> => {
  if (!result) return null
  const key = await signingKey(env, 'media-links')
  const { publicUrl } = configOf(env)
  const link = (filename: string) =>
    mediaLink(key, publicUrl, { jobId: id, filename, attempt: result.stored.attempt, expiresAt: result.expiresAt })
  return {
    media: await link(result.filename),
    thumbnail: result.stored.hasThumbnail ? await link(THUMBNAIL) : null,
  }
}
