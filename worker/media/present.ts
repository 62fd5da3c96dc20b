import { batchStatus } from '../../domain/batches/batch.ts'
import type { ImportJob, Job } from '../../domain/jobs/job.ts'
import { filesView } from '../../domain/jobs/job-files.ts'
import {
  importStatus,
  isoTime,
  jobFacts,
  type Links,
  type ShownTranscript,
  transcriptionStatus,
} from '../../domain/jobs/job-status.ts'
import { readableTranscript } from '../../domain/jobs/readable-words.ts'
import type { AccountEvent } from '../account/calls.ts'
import { configOf, publicUrlOf, signingKey } from '../env.ts'
import { jsonWithTranscript } from './json-with-transcript.ts'
import { fileLinks, mediaLink, THUMBNAIL } from './links.ts'
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
  { accountId, origin = job.origin, withWords = false }: Presented,
): Promise<JobJson> => {
  if (job.kind === 'import') return JSON.stringify(wrap(await importView(env, job, { accountId, origin })))
  const stored = await openTranscript(env, job.id, readableTranscript(job), { withWords })
  const files = job.parts ? filesView(job, await linksOf(env, job, { accountId, origin })) : {}
  const view = (transcript: ShownTranscript | null) => withFiles(transcriptionStatus(job, transcript), files)
  return stored ? jsonWithTranscript(stored, (transcript) => wrap(view(transcript))) : JSON.stringify(wrap(view(null)))
}

interface Presented {
  accountId: string
  origin?: string | null
  withWords?: boolean
}

export const importView = async (env: Env, job: ImportJob, presented: Omit<Presented, 'withWords'>) => {
  const links = job.result && (await linksOf(env, job, presented))
  const view = importStatus(job, links)
  return links ? withFiles(view, filesView(job, links)) : view
}

const withFiles = <View extends { result?: object }>(view: View, files: object): View =>
  view.result ? { ...view, result: { ...view.result, ...files } } : view

const linksOf = async (
  env: Env,
  job: Job,
  { accountId, origin = null }: Omit<Presented, 'withWords'>,
): Promise<Links> => {
  const key = await signingKey(env, 'media-links')
  // Without both, links are paths: the job was started with a PUBLIC_URL that is not set any more.
  const publicUrl = publicUrlOf(env) || (origin ?? '')
  const files = { accountId, jobId: job.id, expiresAt: job.createdAt + configOf(env).historyMs }
  const file = job.parts ? await fileLinks(key, publicUrl, files) : () => ''
  if (job.kind === 'transcription' || !job.result) return { media: '', thumbnail: null, file }
  const { stored, expiresAt, filename } = job.result
  const object = { jobId: job.id, attempt: stored.attempt, expiresAt }
  const link = (name: string) => mediaLink(key, publicUrl, { ...object, filename: name })
  return { media: await link(filename), thumbnail: stored.hasThumbnail ? await link(THUMBNAIL) : null, file }
}

/** `{type, timestamp, data}` as JSON. Webhooks and event streams send the same bytes. */
export const presentEvent = async (
  env: Env,
  accountId: string,
  { type, at, job, batch, data = null }: Omit<AccountEvent, 'id'>,
): Promise<JobJson> => {
  const wrap = (data: object | null) => eventJson(type, at, data)
  if (!job) return JSON.stringify(wrap(batch ? batchStatus(batch) : data))
  // Its type does not say of which kind the job is.
  const facts = type === 'job.started' ? jobFacts(job) : {}
  return presentJob(env, job, (view) => wrap({ ...view, ...facts }), { accountId })
}

export const eventJson = <Type extends string>(type: Type, at: number, data: object | null) => ({
  type,
  timestamp: isoTime(at),
  data,
})
