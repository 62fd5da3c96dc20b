import { batchStatus } from '../../domain/batches/batch.ts'
import type { ImportJob, Job } from '../../domain/jobs/job.ts'
import { importStatus, isoTime, jobFacts, type Links, transcriptionStatus } from '../../domain/jobs/job-status.ts'
import type { AccountEvent } from '../account/calls.ts'
import { publicUrlOf, signingKey } from '../env.ts'
import { jsonWithTranscript } from './json-with-transcript.ts'
import { mediaLink, THUMBNAIL } from './links.ts'
import { openTranscript } from './transcripts.ts'

/** JSON, as a stream if it contains a transcript. */
export type JobJson = string | ReadableStream<Uint8Array>

/**
 * `wrap` adds what is around the job object. `origin`: of the request, if there is one. Word times are several times as
 * long as the text.
 */
export const presentJob = async (
  env: Env,
  job: Job,
  wrap: (view: object) => object,
  { origin = job.origin, withWords = false }: { origin?: string | null; withWords?: boolean } = {},
): Promise<JobJson> => {
  if (job.kind === 'import') return JSON.stringify(wrap(await importView(env, job, origin)))
  const stored = await openTranscript(env, job, { withWords })
  return stored
    ? jsonWithTranscript(stored, (transcript) => wrap(transcriptionStatus(job, transcript)))
    : JSON.stringify(wrap(transcriptionStatus(job, null)))
}

export const importView = async (env: Env, job: ImportJob, origin: string | null) =>
  importStatus(job, await signedLinks(env, job, origin))

const signedLinks = async (env: Env, { id, result }: ImportJob, origin: string | null): Promise<Links | null> => {
  if (!result) return null
  const key = await signingKey(env, 'media-links')
  // Without both, links are paths: the job was started with a PUBLIC_URL that is not set any more.
  const publicUrl = publicUrlOf(env) || (origin ?? '')
  const object = { jobId: id, attempt: result.stored.attempt, expiresAt: result.expiresAt }
  const link = (filename: string) => mediaLink(key, publicUrl, { ...object, filename })
  return {
    media: await link(result.filename),
    thumbnail: result.stored.hasThumbnail ? await link(THUMBNAIL) : null,
  }
}

/** `{type, timestamp, data}` as JSON. Webhooks and event streams send the same bytes. */
export const presentEvent = async (env: Env, { type, at, job, batch }: Omit<AccountEvent, 'id'>): Promise<JobJson> => {
  const wrap = (data: object | null) => eventJson(type, at, data)
  if (!job) return JSON.stringify(wrap(batch && batchStatus(batch)))
  // Its type does not say of which kind the job is.
  const facts = type === 'job.started' ? jobFacts(job) : {}
  return presentJob(env, job, (view) => wrap({ ...view, ...facts }))
}

export const eventJson = <Type extends string>(type: Type, at: number, data: object | null) => ({
  type,
  timestamp: isoTime(at),
  data,
})
