import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inParallel, lanes } from '../../../domain/lanes.ts'
import { contentTypeOf } from '../../../domain/media/media-types.ts'
import type {
  AudioOrder,
  RecognizedSpeech,
  Uploaded,
  UploadedAudio,
  UploadPlan,
  UploadRequest,
} from '../../../domain/protocol/protocol.ts'
import { retry } from '../../../domain/retry.ts'
import type { Turn, Turns } from '../../../domain/words/speaker-turns.ts'
import { type StoredTranscript, TRANSCRIPT_TYPE } from '../../../domain/words/transcript-body.ts'
import { isSilent, type Loudness } from '../../audio/loudness.ts'
import type { Pcm, SampleRange } from '../../audio/pcm.ts'
import { cutAtSilences, longestPiece, preparePiece } from '../../audio/pieces.ts'
import type { Rendition } from '../../source/source.ts'
import type { Spool } from '../../source/spool.ts'
import { LeaseLost, patience, type WorkerClient } from '../../worker-client.ts'
import type { StepContext } from '../step.ts'

/** A file that may still be growing. */
export interface GrowingFile {
  readonly path: string
  /** Offset of the upload in the file, if not 0. */
  readonly startsAt?: number
  /** Number of bytes that are available without a gap. */
  readonly prefixBytes: number
  /** Resolves when [0, bytes) is available or the file is complete. */
  reached(bytes: number): Promise<void>
}

const CONCURRENCY = 3
const URLS_PER_REQUEST = 10

export const completeFile = async (path: string): Promise<GrowingFile> => {
  const { size } = await stat(path)
  return { path, prefixBytes: size, reached: async () => {} }
}

/** Uploads a file as the Worker plans it. The first parts of a growing file are sent before the last exist. */
export const uploadFile = async (
  file: GrowingFile,
  request: UploadRequest,
  worker: WorkerClient,
  signal: AbortSignal,
): Promise<Uploaded> => {
  const plan = await worker.planUpload(request)
  if (plan.kind === 'single') return uploadWhole(file, request, plan, worker, signal)
  const { key, uploadId, partSizeBytes } = plan
  const lastPart = request.sizeBytes && Math.ceil(request.sizeBytes / partSizeBytes)
  const partUrl = createPartUrls(worker, plan, lastPart)
  const parts = await uploadParts(file, partSizeBytes, partUrl, worker, signal)
  return { key, uploadId, parts, sizeBytes: file.prefixBytes }
}

export type EarlyUpload = ReturnType<typeof uploadWhileDownloading>

/** The upload starts at this size. A smaller file may be uploaded with a single PUT. */
const START_BYTES = 8 * 1024 * 1024

/** Starts the upload of a download that is not complete yet. */
export const uploadWhileDownloading = (
  { rendition, spool }: { rendition: Rendition; spool: Spool },
  totalBytes: () => number | null,
  { worker, signal: step }: StepContext,
) => {
  const canceled = new AbortController()
  const signal = AbortSignal.any([step, canceled.signal])
  const contentType = contentTypeOf(rendition.container ?? '', rendition.videoCodec !== null)
  const start = async (): Promise<Uploaded> => {
    await spool.reached(START_BYTES)
    const sizeBytes = spool.ended ? spool.prefixBytes : totalBytes()
    return uploadFile(spool, { kind: 'media', contentType, sizeBytes }, worker, signal)
  }
  const uploaded = start()
  // Prevents an unhandled rejection: `uploaded` is awaited only after the file has been probed, if at all.
  const settled = uploaded.catch(() => {})
  return {
    uploaded,
    /** The content type that storage received: the one that the source states. */
    contentType,
    /** Cancels the upload and resolves when it has stopped. */
    cancel: async (): Promise<void> => {
      canceled.abort(new Error('the result is another file'))
      await settled
    },
  }
}

type UploadedPiece = UploadedAudio['pieces'][number]

/** One piece is encoded while another is uploaded. */
const PIECES_AT_ONCE = 2

/** Cuts a recording for a recognizer and uploads each piece as soon as it is encoded. Silent pieces are skipped. */
export const uploadPieces = async (
  pcm: Pcm,
  loudness: Loudness,
  { encoding, ...limits }: AudioOrder['pieces'],
  { workDir, worker, signal: step }: StepContext,
  onUploaded: (share: number) => void,
): Promise<UploadedPiece[]> => {
  const ranges = cutAtSilences(pcm, loudness, Math.max(1, longestPiece(encoding, limits)))
  const spoken = ranges.filter((range) => !isSilent(loudness, range))
  const uploaded: UploadedPiece[] = []
  const encodeAndUpload = async ([index, range]: [number, SampleRange], signal: AbortSignal) => {
    const outputFile = join(workDir, `piece-${index}`)
    const options = { encoding, outputFile, signal }
    const { path, start, end, contentType, ...times } = await preparePiece(pcm, range, options)
    const sizeBytes = end - start
    const file = { path, startsAt: start, prefixBytes: sizeBytes, reached: async () => {} }
    const upload = await uploadFile(file, { kind: 'audio', index, contentType, sizeBytes }, worker, signal)
    uploaded[index] = { upload, ...times }
    await rm(outputFile, { force: true })
    onUploaded(uploaded.filter(Boolean).length / spoken.length)
  }
  await lanes(PIECES_AT_ONCE, spoken.entries(), encodeAndUpload, step)
  return uploaded
}

export const uploadTranscript = async (
  { body, endSeconds, ...stored }: StoredTranscript,
  media: Pick<RecognizedSpeech['facts'], 'language' | 'languageProbability' | 'durationSeconds'>,
  context: StepContext,
): Promise<Pick<RecognizedSpeech, 'transcript' | 'facts'>> => ({
  transcript: await uploadJson('transcript', body, context),
  facts: { ...media, ...stored },
})

export const uploadTurns = async (
  turns: Turn[],
  context: Pick<StepContext, 'workDir' | 'worker' | 'signal'>,
): Promise<Uploaded> => uploadJson('turns', JSON.stringify({ turns } satisfies Turns), context)

const uploadJson = async (
  kind: 'transcript' | 'turns',
  body: string | Uint8Array,
  { workDir, worker, signal }: Pick<StepContext, 'workDir' | 'worker' | 'signal'>,
): Promise<Uploaded> => {
  const path = join(workDir, `${kind}.json`)
  await writeFile(path, body)
  const file = await completeFile(path)
  return uploadFile(file, { kind, contentType: types[kind], sizeBytes: file.prefixBytes }, worker, signal)
}

const types = { transcript: TRANSCRIPT_TYPE, turns: 'application/json' }

type SinglePlan = Extract<UploadPlan, { kind: 'single' }>
type MultipartPlan = Extract<UploadPlan, { kind: 'multipart' }>

const uploadWhole = async (
  file: GrowingFile,
  request: UploadRequest,
  firstPlan: SinglePlan,
  worker: WorkerClient,
  signal: AbortSignal,
): Promise<Uploaded> => {
  await file.reached(Number.POSITIVE_INFINITY)
  const sizeBytes = file.prefixBytes
  const startsAt = file.startsAt ?? 0
  const range = { path: file.path, start: startsAt, end: startsAt + sizeBytes, contentType: request.contentType }
  const key = await withRetries(async (attempt) => {
    const plan = attempt === 1 ? firstPlan : await worker.planUpload({ ...request, sizeBytes })
    if (plan.kind !== 'single') throw new Error('the Worker planned another kind of upload for the same file')
    await worker.put(plan.url, range, signal)
    return plan.key
  }, signal)
  return { key, uploadId: null, parts: null, sizeBytes }
}

type PartUrl = (part: number, attempt: number) => Promise<string>

/** Uploads parts in parallel. If one fails, the others are aborted. */
const uploadParts = async (
  file: GrowingFile,
  partSizeBytes: number,
  partUrl: PartUrl,
  worker: WorkerClient,
  step: AbortSignal,
): Promise<string[]> => {
  const etags: string[] = []
  let next = 1
  const uploadNextParts = async (signal: AbortSignal): Promise<void> => {
    for (;;) {
      signal.throwIfAborted()
      const part = next++
      const start = (part - 1) * partSizeBytes
      await file.reached(part * partSizeBytes)
      const end = Math.min(part * partSizeBytes, file.prefixBytes)
      if (start >= end) return
      const startsAt = file.startsAt ?? 0
      const range = { path: file.path, start: startsAt + start, end: startsAt + end }
      etags[part - 1] = await withRetries(
        async (attempt) => worker.put(await partUrl(part, attempt), range, signal),
        signal,
      )
    }
  }
  await inParallel(CONCURRENCY, uploadNextParts, step)
  return etags
}

/**
 * The first URLs come with the plan, the others are requested in batches. A failed part gets a new URL, because the
 * old one may have expired.
 */
const createPartUrls = (
  worker: WorkerClient,
  { key, uploadId, urls: planned = [] }: MultipartPlan,
  lastPart: number | null,
): PartUrl => {
  const batches = new Map<number, Promise<string[]>>()
  const request = (firstPart: number, count: number) => worker.planParts({ key, uploadId, firstPart, count })
  return async (part, attempt) => {
    const known = planned[part - 1]
    if (known !== undefined && attempt === 1) return known
    const batch = Math.floor((part - 1 - planned.length) / URLS_PER_REQUEST)
    const first = planned.length + batch * URLS_PER_REQUEST + 1
    const count = Math.min(URLS_PER_REQUEST, (lastPart ?? Number.POSITIVE_INFINITY) - first + 1)
    if (attempt > 1 || count < 1) return urlAt(await request(part, 1), 0)
    const requested = batches.get(batch) ?? request(first, count)
    batches.set(batch, requested)
    return urlAt(await requested, part - first)
  }
}

const urlAt = (urls: string[], index: number): string => {
  const url = urls[index]
  if (url === undefined) throw new Error('the Worker sent fewer URLs than requested')
  return url
}

const withRetries = <T>(act: (attempt: number) => Promise<T>, signal: AbortSignal): Promise<T> =>
  retry(act, { ...patience, signal, isRetryable: (error) => !(error instanceof LeaseLost) })
