import type { AudioPiece } from '../domain/jobs/job.ts'
import { joinPieces } from './pieces.ts'
import { readable } from './readable.ts'
import type { Answer, Piece, Recognition } from './recognition.ts'

/**
 * Recognition by somebody else's machine, a slice at a time: what one message has time for. What was heard
 * of each piece is noted in storage at once, so that the next slice, or the next attempt after a crash,
 * goes on behind it, and nobody pays twice for a piece.
 */
export interface Engine {
  /** Pieces at once. Each needs two of the six connections that an invocation may have open. */
  readonly parallel: number
  start(piece: Piece): Promise<Answer>
  poll(providerJobId: string, signal: AbortSignal): Promise<Answer>
}

/** What is known of a piece: a job at the provider that is not over yet, or all its words. */
export interface Note {
  isHeard: boolean
  providerJobId: string | null
}

export type Heard = Pick<Recognition, 'segments' | 'language' | 'durationSeconds' | 'text'>

/** Where pieces lie and notes are kept. */
export interface Shelf {
  open(piece: AudioPiece): Promise<ReadableStream<Uint8Array>>
  note(piece: AudioPiece): Promise<Note | null>
  keep(piece: AudioPiece, note: Note, heard: Heard | null): Promise<void>
  heard(piece: AudioPiece): Promise<Heard>
}

export interface Recognizing {
  engine: Engine
  shelf: Shelf
  pieces: AudioPiece[]
  language: string | null
  signal: AbortSignal
  /** Says when no more piece should be begun. */
  isLate: () => boolean
  onHeard: (pieces: number) => void
}

type Failed = Extract<Answer, { state: 'failed' }>

export type Slice = {
  /** Jobs that the provider keeps for us. */
  providerJobIds: string[]
  /** Whether this slice heard a piece. */
  isFurther: boolean
} & ({ state: 'done'; heard: Heard } | { state: 'later'; afterMs: number } | Failed)

export const recognizeSlice = async (task: Recognizing): Promise<Slice> => {
  const { pieces, engine } = task
  const tally = { heard: 0, fresh: 0, waitsMs: [] as number[], providerJobIds: [] as string[] }
  const waiting = [...pieces]
  let trouble: Failed | null = null

  const lane = async (): Promise<void> => {
    while (!trouble) {
      const piece = waiting.shift()
      if (!piece) return
      const answer = await hear(task, piece)
      if (answer.providerJobId) tally.providerJobIds.push(answer.providerJobId)
      if (answer.state === 'failed') trouble = answer
      else if (answer.state === 'pending') tally.waitsMs.push(answer.pollAfterMs)
      else if (answer.state !== 'late') {
        tally.fresh += answer.state === 'done' ? 1 : 0
        task.onHeard(++tally.heard)
      }
    }
  }
  await Promise.all(Array.from({ length: engine.parallel }, lane))

  const slice = { providerJobIds: tally.providerJobIds, isFurther: tally.fresh > 0 }
  if (trouble) return { ...slice, ...(trouble as Failed) }
  if (tally.heard < pieces.length) return { ...slice, state: 'later', afterMs: soonest(tally.waitsMs) }
  return { ...slice, state: 'done', heard: await joined(task) }
}

/** Where nothing is pending the time was over: the next slice may follow at once. */
const soonest = (waitsMs: number[]): number => (waitsMs.length > 0 ? Math.min(...waitsMs) : 0)

type Hearing = (Answer | { state: 'known' } | { state: 'late' }) & { providerJobId?: string | null }

const hear = async ({ engine, shelf, language, signal, isLate }: Recognizing, piece: AudioPiece): Promise<Hearing> => {
  const note = await shelf.note(piece)
  const providerJobId = note?.providerJobId ?? null
  if (note?.isHeard) return { state: 'known', providerJobId }
  if (isLate()) return { state: 'late', providerJobId }
  const answer = await (providerJobId
    ? engine.poll(providerJobId, signal)
    : engine.start({
        audio: await shelf.open(piece),
        sizeBytes: piece.sizeBytes,
        durationSeconds: piece.durationSeconds,
        language,
        signal,
      }))
  if (answer.state === 'pending' && providerJobId === null) {
    await shelf.keep(piece, { isHeard: false, providerJobId: answer.providerJobId }, null)
  }
  if (answer.state === 'done') await shelf.keep(piece, { isHeard: true, providerJobId }, heardIn(answer.result))
  return { providerJobId, ...answer }
}

/** Words with times are many, and have done their part once the segments can be read. */
const heardIn = ({ segments, words, language, durationSeconds, text }: Recognition): Heard => ({
  segments: readable({ segments, ...(words ? { words } : {}) }),
  language,
  durationSeconds,
  text,
})

const joined = async ({ shelf, pieces }: Recognizing): Promise<Heard> => {
  const heard = []
  for (const piece of pieces) heard.push({ offsetSeconds: piece.offsetSeconds, result: await shelf.heard(piece) })
  return joinPieces(heard)
}
