import { encodeKey } from '../bucket/object-name.ts'
import { companionKey } from '../bucket/storage-key.ts'
import { filenameOf } from '../media/safe-filename.ts'
import { type Micros, minus, toDollars } from '../money/money.ts'
import { contentTypes, type TranscriptFormat } from '../words/transcript-formats.ts'
import type { ImportJob, ImportResult, Job, StoredObject } from './job.ts'
import { mediaOf, storageOf } from './job.ts'
import { failureView, isoTime, type Links } from './job-status.ts'
import { type PartKind, partKinds } from './part-kinds.ts'
import { costOfParts, defaultFormats, isComplete, type Part, transcriptOf } from './parts.ts'

/**
 * The files of a job, as callers see them: its media, and its parts. Words are a file in each format. Files are named after
 * the main one, the media: `Talk.mp4`, `Talk.en.vtt`, `Talk.info.json`. That of a transcription has only a name.
 */

type CompletedPart = Part & { state: 'completed' }

export interface PartFile {
  part: CompletedPart
  /** null: it has no words. */
  format: TranscriptFormat | null
  name: string
  /** What the name has instead of the main file's extension. */
  suffix: string
  contentType: string
}

interface KindOfFile {
  suffix(part: Part, format: TranscriptFormat | null): string
  /** Absent: that of the format. */
  contentType?: string
}

/** A new kind of file has a row here, and a function that opens it in worker/media/job-files.ts. */
const kinds: Record<PartKind, KindOfFile> = {
  captions: { suffix: ({ language = 'und' }, format) => `.${language}.${format}` },
  transcript: { suffix: ({ language = 'und' }, format) => `.transcript.${language}.${format}` },
  thumbnail: { suffix: () => '.jpg', contentType: 'image/jpeg' },
  info: { suffix: () => '.info.json', contentType: contentTypes.json },
  chapters: { suffix: () => '.chapters.json', contentType: contentTypes.json },
}

export const extensionOf = (filename: string): string => filename.slice(filename.lastIndexOf('.') + 1)

export const formatsOf = ({ kind, request }: Pick<Job, 'kind' | 'request'>): TranscriptFormat[] => [
  ...new Set<TranscriptFormat>(request.formats ?? defaultFormats[kind]),
]

/** The name of the main file. */
const mainNameOf = (job: Job): string => {
  if (job.kind === 'import') return mediaOf(job)?.filename ?? ''
  return filenameOf(transcriptOf(job.parts)?.title ?? job.result?.title ?? job.id, formatsOf(job)[0] ?? 'json')
}

const inOrder = (parts: readonly Part[]): Part[] =>
  parts.toSorted((one, other) => partKinds.indexOf(one.kind) - partKinds.indexOf(other.kind))

const filesOf = (part: CompletedPart, job: Job): PartFile[] => {
  const { suffix: suffixOf, contentType } = kinds[part.kind]
  const formats = contentType === undefined ? formatsOf(job) : [null]
  const main = mainNameOf(job)
  return formats.map((format) => {
    const suffix = suffixOf(part, format)
    const name = companionKey(main, extensionOf(main), suffix)
    return { part, format, name, suffix, contentType: contentType ?? contentTypes[format ?? 'json'] }
  })
}

export const partFilesOf = (job: Job): PartFile[] =>
  inOrder(job.parts ?? []).flatMap((part) => (part.state === 'completed' ? filesOf(part, job) : []))

/** Absent from a job that was not asked for any. */
export const filesView = (job: Job, links: Links) => {
  const { parts, result } = job
  if (!parts || !result) return {}
  const views = inOrder(parts).flatMap((part) => partViews(part, job, links))
  const media = job.kind === 'import' && job.result ? [mediaView(job, job.result, parts, links)] : []
  const [transcript] =
    job.kind === 'transcription' ? partFilesOf(job).filter(({ part }) => part.kind === 'transcript') : []
  const inBucket = transcript && result.bucket ? { s3Storage: placeOf(job, result.bucket, transcript) } : {}
  return { complete: isComplete(parts), files: [...media, ...views], ...inBucket }
}

const mediaView = (job: ImportJob, result: ImportResult, parts: readonly Part[], { media }: Links) => ({
  kind: 'media',
  status: 'completed',
  filename: result.filename,
  url: result.bucket && job.request.storageReturnLocation ? result.bucket.url : media,
  ...(result.bucket && { key: result.bucket.key }),
  contentType: result.contentType,
  sizeBytes: result.fileSizeBytes,
  sha256: result.sha256,
  expiresAt: isoTime(result.expiresAt),
  ...costOf(minus(result.costMicros, costOfParts(parts))),
})

const costOf = (micros: Micros) => ({ costInDollars: toDollars(micros) })
const noCost = { costInDollars: 0 }

const partViews = (part: Part, job: Job, links: Links): object[] => {
  const { kind, language, origin } = part
  const about = { kind, ...(language && { language }), ...(origin && { origin }) }
  if (part.state === 'skipped') return [{ ...about, status: part.state, code: part.code, ...noCost }]
  if (part.state === 'failed') return [{ ...about, status: part.state, ...failureView(part.failure), ...noCost }]
  const { result } = job
  return filesOf(part, job).map((file, index) => {
    const { format, name: filename, contentType } = file
    const place = result?.bucket ? placeOf(job, result.bucket, file) : null
    return {
      ...about,
      ...(format && { format }),
      status: part.state,
      filename,
      url: place?.url ?? links.file(filename),
      ...(place && { key: place.key }),
      contentType,
      // Words live as long as the job.
      ...(!format && job.kind === 'import' && job.result && { expiresAt: isoTime(job.result.expiresAt) }),
      ...(index === 0 ? costOf(part.costMicros) : noCost),
    }
  })
}

/** Where a file is in the bucket. `main`: the main file. */
const placeOf = (job: Job, main: StoredObject, { suffix }: PartFile) => {
  const key = keyBeside(main.key, suffix)
  const base = main.url.slice(0, main.url.length - encodeKey(main.key).length)
  const isTold = storageOf(job)?.storageReturnLocation
  return { ...(isTold && { url: `${base}${encodeKey(key)}` }), bucket: main.bucket, key }
}

export const keyBeside = (mainKey: string, suffix: string): string =>
  companionKey(mainKey, extensionOf(mainKey), suffix)
