import { type Failure, failure, failureOfCode } from '../../../domain/codes/failures.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import { outcomeOf, type Part } from '../../../domain/jobs/parts.ts'
import type { Transcript } from '../../../domain/jobs/transcript.ts'
import { costOfMade, exceedsMaxCost } from '../../../domain/money/bill.ts'
import { type Micros, sum, zero } from '../../../domain/money/money.ts'
import type { ReadTrack, Track } from '../../../domain/protocol/protocol.ts'
import type { Acting } from '../acts.ts'
import { growHold } from '../holds-and-ledger.ts'
import type { JobRow } from './job-rows.ts'

export const free = { state: 'completed', costMicros: zero } as const
export const notAtSource = { state: 'skipped', code: 'NOT_AT_SOURCE' } as const

/** What all tracks of a step have in common. */
export type AboutTracks = Pick<Transcript, 'title' | 'readBy' | 'attempt' | 'secret' | 'step'>

/** Captions as files. With `"all"`, the source may have none. */
export const captionPartsOf = (
  { captions }: Pick<Job['request'], 'captions'>,
  tracks: readonly Track[],
  about: AboutTracks,
): Part[] => {
  if (captions && tracks.length === 0) return [{ kind: 'captions', ...notAtSource }]
  return tracks.map((track): Part => {
    const { language } = track
    if ('code' in track) {
      const outcome = track.code === 'NOT_AT_SOURCE' ? notAtSource : outcomeOf(unreadable(track.code))
      return { kind: 'captions', language, ...outcome }
    }
    return { kind: 'captions', language, origin: track.origin, ...free, words: wordsOfTrack(track, about) }
  })
}

/** The usual messages of these codes speak of media. */
const messages: Partial<Record<string, string>> = {
  SOURCE_NOT_FOUND: 'The source lists the captions, but does not have them.',
  SOURCE_UNSUPPORTED: 'The captions have a format that cannot be read.',
}

const unreadable = (code: string): Failure => failureOfCode(code, messages[code])

export const wordsOfTrack = ({ facts, range }: ReadTrack, about: AboutTracks): Transcript => ({
  source: 'platform_captions',
  ...facts,
  ...about,
  chapters: [],
  range,
})

/** Why the job may not be charged this much. null: the hold covers it. */
export const coverCost = ({ rows, now }: Pick<Acting, 'rows' | 'now'>, job: JobRow, cost: Micros): Failure | null =>
  exceedsMaxCost(job, cost) ? failure('MAX_COST_EXCEEDED') : growHold(rows, job, cost, now)

/** Captions are paid for once, whatever their number, with the first of them. What cannot be paid for has failed. */
export const paidFor = (acting: Acting, job: JobRow, parts: Part[]): Part[] => {
  const first = parts.find(({ state }) => state === 'completed')
  if (!first) return parts
  const { captions } = job.prices
  const reason = coverCost(acting, job, sum(costOfMade(job), captions))
  return parts.map((part): Part => {
    if (part.state !== 'completed') return part
    if (!reason) return part === first ? { ...part, costMicros: captions } : part
    const { kind, language, origin } = part
    return { kind, ...(language && { language }), ...(origin && { origin }), ...outcomeOf(reason) }
  })
}
