import type { DecodeOptions } from '../../../container/audio/decode.ts'
import type { SourceFailure } from '../../../container/failures.ts'
import { shortestOf } from '../../../container/media/limits.ts'
import type { decodeAgreed } from '../../../container/steps/decode.ts'
import type { createAgreedBytes } from '../../../container/steps/download/agreed-bytes.ts'
import type { StepContext } from '../../../container/steps/step.ts'
import type { uploadFile } from '../../../container/worker-client.ts'
import { concatenated, utf8 } from '../../../domain/encoding.ts'
import { downloadCost, type Prices, speechCost } from '../../../domain/money/prices.ts'
import type {
  AudioOrder,
  CaptionsOrder,
  FetchOrder,
  ReadCaptions,
  RecognizeOrder,
  Track,
  TranscriptFacts,
  Uploaded,
  WantedCaptions,
} from '../../../domain/protocol/protocol.ts'
import { storedTranscript, TRANSCRIPT_TYPE } from '../../../domain/words/transcript-body.ts'
import { loadProductModule } from '../platform/modules.ts'
import type { R2Store } from '../platform/r2.ts'
import { sleep } from '../sleep.ts'
import { factsOf, type SourceFacts, sourceUrl, tracksOf } from './sources.ts'

/** The work of each step without media: sizes and times follow from the URL, and files exist by their size only. */

interface Product {
  uploadFile: typeof uploadFile
  createAgreedBytes: typeof createAgreedBytes
  decodeAgreed: typeof decodeAgreed
  SourceFailure: typeof SourceFailure
}

export const loadProduct = (): Product => ({
  ...loadProductModule<Pick<Product, 'uploadFile'>>('container/worker-client.ts'),
  ...loadProductModule<Pick<Product, 'createAgreedBytes'>>('container/steps/download/agreed-bytes.ts'),
  ...loadProductModule<Pick<Product, 'decodeAgreed'>>('container/steps/decode.ts'),
  ...loadProductModule<Pick<Product, 'SourceFailure'>>('container/failures.ts'),
})

/** What a running step tells the invariants. */
export interface StepRun {
  engine: string
  jobId: string
  step: string
  attempt: number
  /** It began under the lease of the job. */
  isLeased: boolean
  /** Of the source, or 0. */
  downloadedBytes: number
  /** Of audio that it has prepared. */
  pieces: number
  /** What the account held when the step was about to download or decode so far, if that was less than it costs. */
  unpaid: { soFar: string; heldMicros: number } | null
  /** It failed by itself while it had its lease. */
  hasFailed: boolean
}

export interface Held {
  /** Beside what the job will be charged for what it has made. */
  micros: number
  /** Of the job. */
  prices: Prices
}

export type Context = StepContext &
  Product & {
    run: StepRun
    bucket: R2Store
    /** null: the lease has ended. */
    held(): Held | null
    /** The source of each file that was stored, by its key. */
    sourceOf: Map<string, string>
  }

const CHUNKS = 4

/** A stored file is what its source was. */
const factsOfOrder = ({ url, stored }: CaptionsOrder | AudioOrder, { sourceOf }: Context): SourceFacts => {
  if (!stored) return factsOf(url)
  const [, , ...key] = new URL(url).pathname.split('/')
  const source = sourceOf.get(key.map(decodeURIComponent).join('/')) ?? sourceUrl('stored')
  return { ...factsOf(source), seconds: stored.durationSeconds ?? 60, captions: '', fails: null }
}

/** Downloads what the account agrees to, as the real steps do. */
const download = async (
  order: FetchOrder | AudioOrder,
  { bytes, workMs, isSizeKnown, fails }: SourceFacts,
  { progress, signal, createAgreedBytes, run, held: heldNow, SourceFailure }: Context,
): Promise<void> => {
  await sleep(workMs / 10, signal)
  if (fails) throw new SourceFailure(fails)
  const isFree = 'stored' in order && order.stored !== undefined
  const agreed = createAgreedBytes({ progress, signal })
  progress.set({ stage: 'downloading', totalBytes: isSizeKnown && !isFree ? bytes : null })
  if (isSizeKnown) agreed.announce(bytes)
  try {
    for (let chunk = 0; chunk < CHUNKS; chunk++) {
      const chunkBytes = chunk === 0 ? bytes - (CHUNKS - 1) * Math.floor(bytes / CHUNKS) : Math.floor(bytes / CHUNKS)
      if (!isFree) await agreed.take(chunkBytes)
      const held = isFree ? null : heldNow()
      const soFar = run.downloadedBytes + chunkBytes
      if (held && held.micros < downloadCost(held.prices, soFar)) {
        run.unpaid = { soFar: `${soFar} bytes`, heldMicros: held.micros }
      }
      await sleep(workMs / CHUNKS, signal)
      run.downloadedBytes += isFree ? 0 : chunkBytes
      progress.set({ downloadedBytes: run.downloadedBytes, percent: (80 * (chunk + 1)) / CHUNKS })
    }
  } finally {
    agreed.close()
  }
  progress.set({ stage: 'uploading' })
}

const contentTypes = {
  media: 'video/mp4',
  thumbnail: 'image/jpeg',
  audio: 'audio/ogg',
  turns: 'application/json',
  transcript: 'application/json',
  tracks: 'application/json',
}

const upload = (kind: keyof typeof contentTypes, sizeBytes: number, context: Context, index?: number) => {
  const { run } = context
  const path = `${run.jobId} ${run.attempt} ${kind} ${index ?? 0}`
  const file = { path, prefixBytes: sizeBytes, reached: async () => {} }
  const request = { kind, contentType: contentTypes[kind], sizeBytes, ...(index !== undefined && { index }) }
  return context.uploadFile(file, request, context)
}

const fetchWork = async (order: FetchOrder, context: Context) => {
  const facts = factsOf(order.url)
  await download(order, facts, context)
  const media = await upload('media', facts.bytes, context)
  context.sourceOf.set(media.key, order.url)
  const thumbnail = facts.seconds > 0 ? await upload('thumbnail', 10_000, context) : null
  const made = {
    ...{
      title: 'film',
      extension: facts.bytes % 2 === 0 ? 'mp4' : 'mkv',
      contentType: 'video/mp4',
      durationSeconds: facts.seconds,
    },
    ...{ sizeBytes: facts.bytes, downloadedBytes: facts.bytes, sha256: '0'.repeat(64), width: 640, height: 360 },
    ...{ videoCodec: 'h264', audioCodec: facts.hasAudio ? 'aac' : null, note: null },
  }
  const captions = order.captions && { captions: await readCaptions(order.captions, facts, context) }
  return {
    step: 'fetch' as const,
    media,
    thumbnail,
    facts: made,
    ...captions,
    ...(order.about && { ...about, chapters }),
  }
}

const about = {
  about: { id: 'film', uploader: null, publishedAt: null, description: null, tags: [], language: null },
}
const chapters = [{ title: 'All', startSeconds: 0, endSeconds: 1 }]

/** All that could be read, each once, in one object. */
const readCaptions = async (
  { files = [], transcript }: WantedCaptions,
  facts: SourceFacts,
  context: Context,
): Promise<ReadCaptions> => {
  const listed = tracksOf(facts)
  const { body } = wordsOf(facts.seconds)
  const read: string[] = []
  const trackIn = (language: string, listedAs = listed.filter((track) => track.language === language)): Track => {
    const [found = null] = listedAs.toSorted((one, other) => Number(one.code !== null) - Number(other.code !== null))
    if (!found || found.code !== null) return { language, code: found?.code ?? 'NOT_AT_SOURCE' }
    if (!read.includes(found.language)) read.push(found.language)
    const range = { offset: read.indexOf(found.language) * (body.length + 1), length: body.length }
    const ofTrack = { ...transcriptFacts(facts.seconds), language: found.language }
    return { language: found.language, origin: 'manual', range, facts: ofTrack }
  }
  const asked = files === 'all' ? listed.map(({ language }) => language) : files
  const tracks = [...new Set(asked)].map((language) => trackIn(language))
  const words = transcript && (transcript.language === null ? trackIn('und', listed) : trackIn(transcript.language))
  const bodies = read.flatMap(() => [body, utf8('\n')])
  const uploaded = bodies.length === 0 ? null : await uploadTranscript(concatenated(...bodies), context, 'tracks')
  return { upload: uploaded, files: tracks, ...(words && { transcript: words }) }
}

/** Two of them are one passage of a search, if there are two. */
const SEGMENT_SECONDS = 13
const MOST_SEGMENTS = 40

const wordsOf = (seconds: number) => {
  const count = Math.min(MOST_SEGMENTS, Math.max(1, Math.floor(seconds / SEGMENT_SECONDS)))
  const startOf = (index: number) => index * SEGMENT_SECONDS
  return storedTranscript(
    Array.from({ length: count }, (_, index) => ({
      start: startOf(index),
      end: index === count - 1 ? Math.max(seconds, startOf(index) + 1) : startOf(index + 1),
      text: `Simulated words of part ${index}.`,
    })),
  )
}

/** The Worker reads transcripts, so the text takes the place of the file that exists by its size only. */
const uploadTranscript = async (
  body: Uint8Array,
  context: Context,
  kind: 'transcript' | 'tracks' = 'transcript',
): Promise<Uploaded> => {
  const uploaded = await upload(kind, body.length, context)
  context.bucket.put(uploaded.key, body, { httpMetadata: { contentType: TRANSCRIPT_TYPE } })
  return uploaded
}

const transcriptFacts = (seconds: number): TranscriptFacts => ({
  ...{ language: 'en', durationSeconds: seconds, segments: wordsOf(seconds).segments },
  ...{ hasWords: false, hasSpeakers: false, plainBytes: null },
})

const captionsWork = async (order: CaptionsOrder, context: Context) => {
  const facts = factsOfOrder(order, context)
  const { seconds, workMs, bytes, fails } = facts
  await sleep(workMs / 4, context.signal)
  if (fails) throw new context.SourceFailure(fails)
  const tracks = order.files && { tracks: await readCaptions({ files: order.files }, facts, context) }
  const length = { durationSeconds: seconds, audioBytes: bytes, ...tracks, ...(order.about && about) }
  if (!tracksOf(facts).some(({ code }) => code === null))
    return { step: 'captions' as const, transcript: null, facts: null, ...length }
  const transcript = await uploadTranscript(wordsOf(seconds).body, context)
  return { step: 'captions' as const, transcript, facts: transcriptFacts(seconds), ...length, title: 'film' }
}

const PIECE_SECONDS = 240

const audioWork = async (order: AudioOrder, context: Context) => {
  const facts = factsOfOrder(order, context)
  if (!facts.hasAudio) throw new context.SourceFailure('NO_AUDIO')
  context.progress.set({ durationSeconds: facts.seconds })
  await download(order, facts, context)
  const { isSilent } = facts
  const seconds = await decode(order, facts, context)
  const count = isSilent ? 0 : Math.max(1, Math.ceil(seconds / PIECE_SECONDS))
  const pieces = []
  for (let index = 0; index < count; index++) {
    const durationSeconds = seconds / count
    const uploaded = await upload('audio', 100_000, context, index)
    pieces.push({ upload: uploaded, offsetSeconds: index * durationSeconds, durationSeconds })
  }
  context.run.pieces = count
  const turns = order.speakers && (await upload('turns', 1_000, context))
  const { downloadedBytes } = context.run
  const made = { step: 'audio' as const, durationSeconds: seconds, title: 'film', downloadedBytes }
  return { ...made, pieces, ...(turns && { turns }), ...(order.about && about) }
}

/** With the agreement of the account, as the real step does. Resolves with the seconds that are charged. */
const decode = async (order: AudioOrder, { seconds, lasts }: SourceFacts, context: Context): Promise<number> => {
  const { run, signal } = context
  const file = {
    decode: async (options: DecodeOptions) => {
      const held = context.held()
      // A second more than what was agreed to is decoded, and what longestOf tolerates.
      const agreedSeconds = shortestOf(options.seconds - 1)
      if (held && held.micros < costOf(order, held.prices, run.downloadedBytes, agreedSeconds)) {
        run.unpaid = { soFar: `${options.seconds} s`, heldMicros: held.micros }
      }
      const durationSeconds = Math.min(seconds * lasts, options.seconds)
      await sleep(durationSeconds * 5, signal)
      return { path: options.outputFile, samples: 1, durationSeconds }
    },
  }
  const request = { statedSeconds: seconds, besideBytes: run.downloadedBytes }
  const maxSeconds = order.limits.maxDurationSeconds
  const pcm = await context.decodeAgreed(file as never, { ...request, maxSeconds }, context)
  return lasts > 1 ? pcm.durationSeconds : seconds
}

/** The engine takes samples, and the minimum is held from the beginning. */
const costOf = ({ pieces }: AudioOrder, prices: Prices, downloadedBytes: number, seconds: number): number =>
  downloadCost(prices, downloadedBytes) +
  speechCost(prices, pieces.encoding === 'samples' ? 'builtin' : 'provider_a', seconds)

const recognizeWork = async (order: RecognizeOrder, context: Context) => {
  let seconds = 0
  context.progress.set({ stage: 'recognizing' })
  if (order.turns) await context.worker.get(order.turns.url, order.turns.sizeBytes, context.signal)
  for (const { url, sizeBytes, durationSeconds } of order.pieces) {
    await context.worker.get(url, sizeBytes, context.signal)
    await sleep(1_000 + durationSeconds * 20, context.signal)
    seconds += durationSeconds
  }
  const transcript = await uploadTranscript(wordsOf(seconds).body, context)
  return { step: 'recognize' as const, transcript, facts: transcriptFacts(seconds) }
}

export const works = { fetch: fetchWork, captions: captionsWork, audio: audioWork, recognize: recognizeWork }
