import { z } from 'zod'
import { firstIndex, grouped } from './runs.ts'
import type { Segment } from './segment.ts'
import { readableSegments, type Word } from './sentences.ts'
import { pauseAfter } from './writing.ts'

/** A stretch of time in which one person speaks, in seconds of the media. Turns of two people may overlap. */
const Turn = z.object({ start: z.number().nonnegative(), end: z.number().nonnegative(), speaker: z.string() })
export type Turn = z.infer<typeof Turn>

/** As they are stored, in the order of their starts. */
export const Turns = z.object({ turns: z.array(Turn) })
export type Turns = z.infer<typeof Turns>

/**
 * Gives each word the speaker of the turn that it overlaps most, else of the nearest one. Voices change between
 * sentences, and times beside a pause are the least exact ones: so the first or last words of a sentence get the
 * speaker of the others.
 */
export const wordsBySpeaker = (words: Iterable<Word>, turns: Turn[]): Word[] => {
  const nearest = turnFinder(turns)
  const spoken = Array.from(words, (word) => {
    const turn = nearest(word)
    return turn ? { ...word, speaker: turn.speaker } : word
  })
  return grouped(spoken, isSameSentence).flatMap(withoutStrays)
}

const isSameSentence = (before: Word, word: Word): boolean =>
  pauseAfter(before.text.trim(), word.text.trim()) !== 'sentence'

/** So few words beside a pause may have the wrong speaker, if the rest of the sentence is at least twice as long. */
const MAX_STRAYS = 2

/** A sentence in which the speaker changes once, near its start or end, is given to one speaker. */
const withoutStrays = (sentence: Word[]): Word[] => {
  const [first, last] = [sentence[0]?.speaker, sentence.at(-1)?.speaker]
  const change = sentence.findIndex(({ speaker }) => speaker !== first)
  const changesOnce = change !== -1 && sentence.slice(change).every(({ speaker }) => speaker === last)
  if (!changesOnce || last === undefined || first === undefined) return sentence
  const [before, after] = [change, sentence.length - change]
  if (Math.min(before, after) > MAX_STRAYS || Math.max(before, after) < 2 * Math.min(before, after)) return sentence
  const speaker = before < after ? last : first
  return sentence.map((word) => ({ ...word, speaker }))
}

export const segmentsBySpeaker = (segments: Segment[], turns: Turn[]): Segment[] => {
  const named = segments.map((segment): Segment => {
    const words = segment.words && wordsBySpeaker(segment.words, turns)
    const [{ speaker } = segment] = words ?? wordsBySpeaker([segment], turns)
    return { ...segment, ...(speaker && { speaker }), ...(words && { words }) }
  })
  return readableSegments(named, { bySpeaker: true })
}

/** Turns that start after a word's end cannot overlap it, and of those that start before it, a few are looked at. */
const turnFinder = (turns: Turn[]) => {
  const sorted = turns.toSorted((one, other) => one.start - other.start)
  /** How far the turns up to each one reach: where a search backwards may end. */
  const reach: number[] = []
  for (const { end } of sorted) reach.push(Math.max(end, reach.at(-1) ?? 0))
  return ({ start, end }: Word): Turn | undefined => {
    let best: Turn | undefined
    let bestOverlap = Number.NEGATIVE_INFINITY
    const consider = (turn: Turn): void => {
      // A gap is an overlap of less than nothing.
      const overlap = Math.min(end, turn.end) - Math.max(start, turn.start)
      if (overlap > bestOverlap) [best, bestOverlap] = [turn, overlap]
    }
    const next = firstIndex(0, sorted.length, (at) => (sorted[at]?.start ?? 0) > end)
    const following = sorted[next]
    for (let at = next - 1; at >= 0; at--) {
      if ((reach[at] ?? 0) - start <= bestOverlap) break
      consider(sorted[at] as Turn)
    }
    if (following) consider(following)
    return best
  }
}
