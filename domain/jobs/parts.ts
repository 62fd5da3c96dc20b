import type { Failure } from '../codes/failures.ts'
import { type Micros, sum, zero } from '../money/money.ts'
import type { TranscriptFormat } from '../words/transcript-formats.ts'
import { type PartKind, type SkipCode, skipCodes } from './part-kinds.ts'
import type { Transcript } from './transcript.ts'

/** It has one file for each format, and one price for all of them. */
export type Part = PartName & PartOutcome

interface PartName {
  kind: PartKind
  /** A tag of BCP 47: of captions as they were asked for, of a transcript that of the speech. */
  language?: string
  origin?: CaptionOrigin
}

type CaptionOrigin = 'manual' | 'automatic'

export type PartOutcome =
  /** `words`: where they are stored. Absent: it has none, or they were removed. */
  | { state: 'completed'; costMicros: Micros; words?: Transcript }
  | { state: 'skipped'; code: SkipCode }
  | { state: 'failed'; failure: Failure }

const isSkipCode = (code: string): code is SkipCode => skipCodes.some((each) => each === code)

/** Nobody is at fault if there is nothing to make: such a part is skipped. */
export const outcomeOf = (failure: Failure): PartOutcome =>
  isSkipCode(failure.code) ? { state: 'skipped', code: failure.code } : { state: 'failed', failure }

const costOfPart = (part: Part): Micros => (part.state === 'completed' ? part.costMicros : zero)

export const costOfParts = (parts: readonly Part[]): Micros => sum(...parts.map(costOfPart))

export const isComplete = (parts: readonly Part[]): boolean => parts.every(({ state }) => state !== 'failed')

/** null: there is none, or it was removed. */
export const transcriptOf = (parts: readonly Part[] = []): Transcript | null => {
  const part = parts.find(({ kind }) => kind === 'transcript')
  return part?.state === 'completed' ? (part.words ?? null) : null
}

/** Those that have words, as they are read: the transcript first. */
export const wordsOfParts = (parts: readonly Part[]): Transcript[] =>
  [...parts.filter(({ kind }) => kind === 'transcript'), ...parts].flatMap((part) =>
    part.state === 'completed' && part.words ? [part.words] : [],
  )

/** True even if they have been removed since. */
export const hadWords = (parts: readonly Part[]): boolean =>
  parts.some(({ kind, state }) => state === 'completed' && (kind === 'captions' || kind === 'transcript'))

export const withoutWords = (parts: readonly Part[]): Part[] =>
  parts.map((part) => {
    if (part.state !== 'completed') return part
    const { words: _, ...rest } = part
    return rest
  })

export const defaultFormats = { import: ['vtt'], transcription: ['json'] } as const satisfies Record<
  string,
  TranscriptFormat[]
>
