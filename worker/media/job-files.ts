import { utf8 } from '../../domain/encoding.ts'
import { type Job, mediaOf } from '../../domain/jobs/job.ts'
import { type PartFile, partFilesOf } from '../../domain/jobs/job-files.ts'
import type { PartKind } from '../../domain/jobs/part-kinds.ts'
import { withChapters } from '../../domain/jobs/readable-words.ts'
import { thumbnailKey } from '../../domain/media/media-keys.ts'
import { defaultLayout } from '../speech/transcript-layout.ts'
import { transcriptFile } from './transcripts.ts'

type Body = ReadableStream<Uint8Array> | Uint8Array

/** A part of a job as a file. null: there is no such file, or it is not stored any more. */
export const openJobFile = async (env: Env, job: Job, filename: string) => {
  const found = partFilesOf(job).find(({ name }) => name === filename)
  const body = found ? await openPartFile(env, job, found) : null
  return found && body && { body, contentType: found.contentType }
}

export const openPartFile = (env: Env, job: Job, file: PartFile): Promise<Body | null> =>
  openers[file.part.kind](env, job, file)

type Opener = (env: Env, job: Job, file: PartFile) => Promise<Body | null>

const openWords: Opener = async (env, job, { part, format }) => {
  if (!part.words || !format) return null
  const file = await transcriptFile(env, job.id, withChapters(job, part.words), format, defaultLayout)
  return file?.body ?? null
}

const openers: Record<PartKind, Opener> = {
  captions: openWords,
  transcript: openWords,
  thumbnail: async (env, job) => {
    const media = isMediaHere(job) ? mediaOf(job) : null
    const object = media && (await env.MEDIA.get(thumbnailKey(job.id, media.stored)))
    return object?.body ?? null
  },
  info: async (_, job) => ifStored(job, infoOf(job)),
  chapters: async (_, job) => {
    const chapters = mediaOf(job)?.chapters ?? []
    const shown = chapters.map(({ title, startSeconds: start, endSeconds: end }) => ({ title, start, end }))
    return ifStored(job, { chapters: shown })
  },
}

const ifStored = (job: Job, value: object): Uint8Array | null =>
  isMediaHere(job) ? utf8(`${JSON.stringify(value, null, 2)}\n`) : null

/** All but words live as long as the media. */
const isMediaHere = ({ kind, result, removedAt }: Job): boolean =>
  removedAt === null && (kind !== 'import' || !result || result.expiresAt > Date.now())

/** Only these fields: what yt-dlp reports may contain cookies and signed URLs. */
const infoOf = (job: Job) => {
  const media = mediaOf(job)
  const { id, uploader, publishedAt, description, tags = [], language } = media?.about ?? {}
  return {
    title: media?.title,
    url: job.request.url,
    id: id ?? null,
    extractor: media?.readBy?.extractor ?? null,
    uploader: uploader ?? null,
    publishedAt: publishedAt ?? null,
    description: description ?? null,
    duration: media?.durationSeconds,
    tags,
    language: language ?? null,
  }
}
