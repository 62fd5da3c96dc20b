import type { AudioPiece } from '../../domain/jobs/job.ts'
import { lanes } from '../../domain/lanes.ts'
import { withoutWords } from '../../domain/words/segment.ts'
import { readableSegments } from '../../domain/words/sentences.ts'
import { segmentsBySpeaker, type Turn } from '../../domain/words/speaker-turns.ts'
import { joinPieces, type Speakers } from './join-pieces.ts'
import type { Asked, PieceRequest, ProviderResult, RecognizedAudio } from './recognition.ts'

/**
 * A slice is the pieces that fit into one queue message's time. The state of each piece is stored at once, so that the
 * next slice, or an attempt after a crash, continues there and no piece is paid for twice.
 */
export interface PieceRecognizer {
  /** Pieces at the same time. Each needs two of the six connections that a Worker invocation may have open. */
  readonly parallel: number
  readonly knownSpeakers: string[]
  readonly takesVocabulary: boolean
  start(piece: PieceRequest): Promise<ProviderResult>
  poll(providerJobId: string, signal: AbortSignal): Promise<ProviderResult>
}

export interface PieceState {
  isRecognized: boolean
  /** null if the provider returned the result in the same request. */
  providerJobId: string | null
}

export interface PieceStore {
  openAudio(piece: AudioPiece): Promise<ReadableStream<Uint8Array>>
  /** null if the piece has not been sent to a provider yet. */
  readState(piece: AudioPiece): Promise<PieceState | null>
  save(piece: AudioPiece, state: PieceState, recognized: RecognizedAudio | null): Promise<void>
  readRecognized(piece: AudioPiece): Promise<RecognizedAudio>
}

export interface SliceTask {
  recognizer: PieceRecognizer
  store: PieceStore
  pieces: AudioPiece[]
  language: string | null
  asked: Asked
  /** Who speaks when, if that is asked of an engine that does not tell. */
  readTurns?: (() => Promise<Turn[]>) | undefined
  signal: AbortSignal
  /** When true, no further piece is started. */
  isLate: () => boolean
  onRecognized: (pieces: number) => void
}

type Failed = Extract<ProviderResult, { state: 'failed' }>

export type SliceResult = {
  /** Jobs that the provider stores until they are deleted. */
  providerJobIds: string[]
  hasProgressed: boolean
} & ({ state: 'done'; recognized: RecognizedAudio } | { state: 'later'; afterMs: number } | Failed)

export const recognizeSlice = async (task: SliceTask): Promise<SliceResult> => {
  const { pieces, recognizer } = task
  const providerJobIds: string[] = []
  const pollDelaysMs: number[] = []
  let recognizedPieces = 0
  let hasProgressed = false
  let failure: Failed | null = null

  await lanes(recognizer.parallel, pieces, async (piece) => {
    if (failure) return
    const result = await recognizePiece(task, piece)
    if (result.providerJobId) providerJobIds.push(result.providerJobId)
    if (result.state === 'failed') failure = result
    else if (result.state === 'pending') pollDelaysMs.push(result.pollAfterMs)
    else if (result.state !== 'late') {
      if (result.state === 'done') hasProgressed = true
      task.onRecognized(++recognizedPieces)
    }
  })

  const slice = { providerJobIds, hasProgressed }
  if (failure) return { ...slice, ...(failure as Failed) }
  // If no piece is pending, the slice ran out of time and the next one may start at once.
  const afterMs = pollDelaysMs.length > 0 ? Math.min(...pollDelaysMs) : 0
  if (recognizedPieces < pieces.length) return { ...slice, state: 'later', afterMs }
  return { ...slice, state: 'done', recognized: await joinStored(task) }
}

type PieceResult = (ProviderResult | { state: 'stored' } | { state: 'late' }) & { providerJobId?: string | null }

const recognizePiece = async (
  { recognizer, store, language, asked, readTurns, signal, isLate }: SliceTask,
  piece: AudioPiece,
): Promise<PieceResult> => {
  const stored = await store.readState(piece)
  const providerJobId = stored?.providerJobId ?? null
  if (stored?.isRecognized) return { state: 'stored', providerJobId }
  if (isLate()) return { state: 'late', providerJobId }
  const result = await (providerJobId
    ? recognizer.poll(providerJobId, signal)
    : recognizer.start({
        audio: await store.openAudio(piece),
        sizeBytes: piece.sizeBytes,
        durationSeconds: piece.durationSeconds,
        language,
        ...asked,
        signal,
      }))
  if (result.state === 'pending' && providerJobId === null) {
    await store.save(piece, { isRecognized: false, providerJobId: result.providerJobId }, null)
  }
  if (result.state === 'done') {
    const segments = readableSegments(result.result.segments, { bySpeaker: asked.speakers !== null })
    // Words are most of a result. They are not needed once segments have readable lengths, but for `words` and turns.
    const kept = asked.words || readTurns ? segments : segments.map(withoutWords)
    const used = asked.vocabulary && { vocabulary: recognizer.takesVocabulary }
    await store.save(piece, { isRecognized: true, providerJobId }, { ...result.result, ...used, segments: kept })
  }
  return { providerJobId, ...result }
}

const joinStored = async ({ recognizer, store, pieces, asked, readTurns }: SliceTask): Promise<RecognizedAudio> => {
  const recognized = []
  for (const piece of pieces)
    recognized.push({ offsetSeconds: piece.offsetSeconds, result: await store.readRecognized(piece) })
  if (readTurns) {
    const joined = joinPieces(recognized)
    const segments = segmentsBySpeaker(joined.segments, await readTurns())
    return { ...joined, segments: asked.words ? segments : segments.map(withoutWords) }
  }
  const speakers: Speakers = asked.speakers && { known: recognizer.knownSpeakers }
  return joinPieces(recognized, speakers)
}
