import type { DecodeOptions } from '../../../container/audio/decode.ts'
import type { SourceFailure } from '../../../container/failures.ts'
import { shortestOf } from '../../../container/media/limits.ts'
import type { decodeAgreed } from '../../../container/steps/decode.ts'
import type { createAgreedBytes } from '../../../container/steps/download/agreed-bytes.ts'
import type { StepContext, StepFunction } from '../../../container/steps/step.ts'
import type { uploadFile } from '../../../container/worker-client.ts'
import { defaultPrices, downloadCost, type Prices, speechCost } from '../../../domain/money/prices.ts'
import type {
  AudioOrder,
  CaptionsOrder,
  FetchOrder,
  InspectResponse,
  ListResponse,
  ProbeResponse,
  RecognizeOrder,
  StepOrder,
  TranscriptFacts,
  Uploaded,
} from '../../../domain/protocol/protocol.ts'
import { storedTranscript, TRANSCRIPT_TYPE } from '../../../domain/words/transcript-body.ts'
import type { Faults } from '../faults/faults.ts'
import type { EngineProgram } from '../platform/engine-process.ts'
import { loadProductModule } from '../platform/modules.ts'
import type { R2Store } from '../platform/r2.ts'
import { sleep } from '../sleep.ts'
import type { Story } from '../story.ts'
import type { World } from '../world.ts'
import { factsOf, type SourceFacts, sourceUrl } from './sources.ts'

interface Product {
  uploadFile: typeof uploadFile
  createAgreedBytes: typeof createAgreedBytes
  decodeAgreed: typeof decodeAgreed
  SourceFailure: typeof SourceFailure
}

const loadProduct = (): Product => ({
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
  /** Of the source, or 0. */
  downloadedBytes: number
  /** Of audio that it has prepared. */
  pieces: number
  /** What the account held when the step was about to download or decode so far, if that was less than it costs. */
  unpaid: { soFar: string; heldMicros: number } | null
  /** It failed by itself while it had its lease. */
  hasFailed: boolean
}

export interface Steps extends EngineProgram {
  runs: StepRun[]
}

interface Parts {
  faults: Faults
  story: Story
  world(): World
}

/** The work of steps without media: sizes and times follow from the URL, and files exist by their size only. */
export const createSteps = (parts: Parts): Steps => {
  const product = loadProduct()
  const runs: StepRun[] = []
  const stepFor = (order: StepOrder, engine: string): StepFunction =>
    (async (_order: StepOrder, context: StepContext) => {
      const { jobId, step, attempt } = order
      const run = {
        ...{ engine, jobId, step, attempt, downloadedBytes: 0, pieces: 0 },
        ...{ unpaid: null, hasFailed: false },
      }
      runs.push(run)
      parts.story.tell(jobId, () => `${step} ${attempt} begins on ${engine}`)
      const { faults } = parts
      if (faults.happens('step slow', jobId)) await sleep(faults.between('step slow', 1_000, 180_000), context.signal)
      const fail = () => {
        faults.blame(jobId, attempt)
        run.hasFailed = hasLease(parts.world(), order)
        throw new Error('a simulated step failed')
      }
      if (faults.happens('step fails', jobId)) fail()
      try {
        const { bucket } = parts.world()
        const held = () => heldFor(parts.world(), order)
        const result = await works[order.step](order as never, { ...context, ...product, run, bucket, held })
        if (faults.happens('step fails', jobId)) fail()
        return result
      } finally {
        faults.endedOn(engine, jobId, attempt)
      }
    }) as never
  return {
    runs,
    stepFor,
    probe: async (request) => probe(request as { url: string; listLimit?: number }),
    list: async (request) => list(request as { url: string; limit: number }),
    inspect: async () => {
      await sleep(300)
      return {
        status: 'done',
        contentType: 'audio/mpeg',
        extension: 'mp3',
        durationSeconds: 60,
      } satisfies InspectResponse
    },
    log: (engine, event, fields) => {
      const { jobId } = fields as { jobId?: string }
      if (jobId) parts.story.tell(jobId, () => `${engine}: ${event} ${JSON.stringify(fields)}`)
    },
    places: { network: 4, cpu: 1 },
    diskBytes: 15_000_000_000,
    drainMs: 60_000,
  }
}

/** When a lease ends, the account discards the files that it knows of. Uploads may still arrive afterwards. */
const hasLease = ({ namespaces }: World, { accountId = '', jobId, attempt }: StepOrder): boolean => {
  const query = 'SELECT 1 FROM jobs WHERE id = ? AND lease_number = ? AND lease IS NOT NULL'
  const rows = namespaces.ACCOUNTS.storage(accountId)?.sqlDatabase.exec(query, jobId, attempt).toArray()
  return rows?.length === 1
}

/** What the account holds for the job. null: its lease has ended. */
const heldFor = ({ namespaces }: World, { accountId = '', jobId, attempt }: StepOrder): Held | null => {
  const query = 'SELECT held_micros AS held, prices FROM jobs WHERE id = ? AND lease_number = ? AND lease IS NOT NULL'
  const sql = namespaces.ACCOUNTS.storage(accountId)?.sqlDatabase
  const [row] = (sql?.exec(query, jobId, attempt).toArray() ?? []) as { held: number | null; prices: string | null }[]
  if (!row) return null
  return { micros: row.held ?? 0, prices: row.prices === null ? defaultPrices : JSON.parse(row.prices) }
}

interface Held {
  micros: number
  /** Of the job. */
  prices: Prices
}

type Context = StepContext & Product & { run: StepRun; bucket: R2Store; held(): Held | null }

const CHUNKS = 4

const factsOfOrder = (order: { url: string; stored?: { durationSeconds: number | null } | undefined }): SourceFacts =>
  order.stored ? { ...factsOf(sourceUrl('stored')), seconds: order.stored.durationSeconds ?? 60 } : factsOf(order.url)

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
  const thumbnail = facts.seconds > 0 ? await upload('thumbnail', 10_000, context) : null
  const about = {
    ...{ title: 'film', extension: 'mp4', contentType: 'video/mp4', durationSeconds: facts.seconds },
    ...{ sizeBytes: facts.bytes, downloadedBytes: facts.bytes, sha256: '0'.repeat(64), width: 640, height: 360 },
    ...{ videoCodec: 'h264', audioCodec: 'aac', note: null },
  }
  return { step: 'fetch' as const, media, thumbnail, facts: about }
}

/** The Worker reads transcripts, so the text takes the place of the file that exists by its size only. */
const uploadTranscript = async (seconds: number, context: Context): Promise<Uploaded> => {
  const { body } = storedTranscript([{ start: 0, end: seconds, text: 'Simulated words.' }])
  const uploaded = await upload('transcript', body.length, context)
  context.bucket.put(uploaded.key, body, { httpMetadata: { contentType: TRANSCRIPT_TYPE } })
  return uploaded
}

const transcriptFacts = (seconds: number, segments = 1): TranscriptFacts => ({
  ...{ language: 'en', durationSeconds: seconds, segments, hasWords: false, hasSpeakers: false, plainBytes: null },
})

const captionsWork = async (order: CaptionsOrder, context: Context) => {
  const { hasCaptions, seconds, workMs, bytes, fails } = factsOfOrder(order)
  await sleep(workMs / 4, context.signal)
  if (fails) throw new context.SourceFailure(fails)
  const length = { durationSeconds: seconds, audioBytes: bytes }
  if (!hasCaptions) return { step: 'captions' as const, transcript: null, facts: null, ...length }
  const transcript = await uploadTranscript(seconds, context)
  return { step: 'captions' as const, transcript, facts: transcriptFacts(seconds), ...length, title: 'film' }
}

const PIECE_SECONDS = 240

const audioWork = async (order: AudioOrder, context: Context) => {
  const facts = factsOfOrder(order)
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
  const about = { step: 'audio' as const, durationSeconds: seconds, title: 'film', downloadedBytes }
  return { ...about, pieces, ...(turns && { turns }) }
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
  const transcript = await uploadTranscript(seconds, context)
  return { step: 'recognize' as const, transcript, facts: transcriptFacts(seconds) }
}

const works = { fetch: fetchWork, captions: captionsWork, audio: audioWork, recognize: recognizeWork }

const probe = async ({ url, listLimit = 0 }: { url: string; listLimit?: number }): Promise<ProbeResponse> => {
  await sleep(400)
  const { fails, seconds, bytes, items } = factsOf(url)
  if (fails) return { status: 'failed', code: fails, message: 'a simulated failure' }
  if (items > 0) {
    const listed = await list({ url, limit: listLimit })
    return listed.status === 'done' ? { ...listed, status: 'list' } : listed
  }
  const source = {
    ...{ title: 'film', durationSeconds: seconds, thumbnailUrl: null, platform: 'direct', isLive: false, direct: true },
    ...{ contentType: 'video/mp4', fileSizeBytes: bytes, formats: [], captions: [], chapters: [], downloads: [] },
    durationIsEstimate: false,
    speech: null,
  }
  return { status: 'done', source }
}

const list = async ({ url, limit }: { url: string; limit: number }): Promise<ListResponse> => {
  await sleep(800)
  const { fails, items } = factsOf(url)
  if (fails) return { status: 'failed', code: fails, message: 'a simulated failure' }
  const listed = Array.from({ length: Math.min(items, limit) }, (_, index) => ({
    url: sourceUrl(`${new URL(url).pathname.slice(1, -4)}-${index}`, { bytes: 1_000_000, workMs: 2_000 }),
    title: `entry ${index}`,
    durationSeconds: 60,
  }))
  return { status: 'done', title: 'list', count: items, items: listed }
}
