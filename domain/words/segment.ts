import { shown } from '../text-rule.ts'
import { collapse, join } from './writing.ts'

/** A stretch of speech, in seconds from the start of the media. */
export interface Segment {
  start: number
  end: number
  text: string
  speaker?: string
  words?: SegmentWord[]
}

export interface SegmentWord {
  start: number
  end: number
  text: string
  /** From 0 to 1. */
  confidence?: number
  speaker?: string
}

/** An overlapped segment of less than this would be too short to read, so it is merged into the next one. */
const MIN_CLIPPED_SECONDS = 0.1

/** Rounds to whole milliseconds, the precision of SRT and WebVTT. It also avoids `0.30000000000000004` in JSON. */
export const milliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000

/** About ten minutes of speech. */
export const MAX_PART_CHARACTERS = 10_000

/** Parts of limited length, which share the time of the segment: work on a segment may grow with its length. */
export function* partsOf(segment: Segment, maxCharacters = MAX_PART_CHARACTERS): Generator<Segment> {
  const { start, end, text, words = [], ...rest } = segment
  if (text.length <= maxCharacters) return yield segment
  const timeAt = (at: number) => start + ((end - start) * at) / text.length
  let firstWord = 0
  let from = 0
  while (from < text.length) {
    const isLast = text.length - from <= maxCharacters
    const to = isLast ? text.length : from + partLength(text.slice(from, from + maxCharacters))
    const part = { start: timeAt(from), end: isLast ? end : timeAt(to), text: text.slice(from, to).trim(), ...rest }
    let lastWord = firstWord
    while (lastWord < words.length && (isLast || (words[lastWord]?.start ?? 0) < part.end)) lastWord++
    yield withWordsWithin(part, words.slice(firstWord, lastWord))
    firstWord = lastWord
    from = to
  }
}

/** Up to the last space, unless that is far from the end. Never between the two halves of a character. */
export const partLength = (part: string): number => {
  const space = part.lastIndexOf(' ')
  if (space > part.length / 2) return space
  return /[\uD800-\uDBFF]$/.test(part) ? part.length - 1 : part.length
}

/**
 * Engines return words without times (NaN), and words that overlap or are outside of their segment. Here, each starts
 * where the one before it ends or later, and ends within the segment. It may end where it starts.
 */
export const withWordsWithin = (segment: Omit<Segment, 'words'>, words: SegmentWord[]): Segment => {
  if (words.length === 0) return segment
  const { start, end } = segment
  const starts: number[] = []
  let clock = start
  let previousEnd = start
  for (const word of words) {
    const from = Number.isFinite(word.start) ? milliseconds(word.start) : previousEnd
    clock = Math.min(end, Math.max(clock, from))
    starts.push(clock)
    if (Number.isFinite(word.end)) previousEnd = milliseconds(word.end)
  }
  const timed = words.map((word, index) => {
    const from = starts[index] ?? end
    const to = milliseconds(word.end)
    return { ...word, start: from, end: to > from ? Math.min(to, starts[index + 1] ?? end) : from }
  })
  return { ...segment, words: timed }
}

export const withoutWords = ({ words: _, ...segment }: Segment): Segment => segment

/** Sorted, without empty segments and overlaps: the earlier one is shortened, or both merged. No text is lost. */
export const inOrder = (segments: Iterable<Segment>): Segment[] => {
  const sorted = Array.from(segments).map(normalize).filter(isUsable)
  sorted.sort((a, b) => a.start - b.start || a.end - b.end)
  const ordered: Group[] = []
  for (const segment of sorted) {
    const previous = ordered.at(-1)
    if (previous === undefined || segment.start >= previous.end) ordered.push({ ...segment, texts: [segment.text] })
    else if (isSame(previous, segment)) previous.end = Math.max(previous.end, segment.end)
    else if (segment.start - previous.start < MIN_CLIPPED_SECONDS) merge(previous, segment)
    else {
      previous.end = segment.start
      ordered.push({ ...segment, texts: [segment.text] })
    }
  }
  return ordered.map(({ texts, words = [], ...segment }) =>
    withWordsWithin(texts.length === 1 ? segment : { ...segment, text: join(texts) }, words),
  )
}

/** A segment and the texts that were merged into it. They are joined once, at the end: a file may merge all its cues. */
interface Group extends Segment {
  texts: string[]
}

/** Captions are written by strangers. */
const cleaned = (text: string): string => collapse(shown(text))

const spokenBy = (speaker: string | undefined): { speaker?: string } => {
  const name = cleaned(speaker ?? '')
  return name === '' ? {} : { speaker: name }
}

const normalize = ({ start, end, text, speaker, words }: Segment): Segment => {
  const from = milliseconds(Math.max(0, start))
  const to = end > start ? Math.max(milliseconds(end), milliseconds(from + 0.001)) : from
  return {
    start: from,
    end: end > 0 ? to : from,
    text: cleaned(text),
    ...spokenBy(speaker),
    ...(words ? { words: words.map(normalizeWord).filter((word) => word.text !== '') } : {}),
  }
}

const normalizeWord = ({ speaker, ...word }: SegmentWord): SegmentWord => ({
  ...word,
  text: cleaned(word.text),
  ...spokenBy(speaker),
})

const isUsable = ({ start, end, text }: Segment) => text !== '' && Number.isFinite(end) && end > start

const isSame = ({ texts, speaker }: Group, segment: Segment) =>
  texts.length === 1 && texts[0] === segment.text && speaker === segment.speaker

const merge = (into: Group, segment: Segment) => {
  into.texts.push(segment.text)
  into.end = Math.max(into.end, segment.end)
  if (into.speaker !== segment.speaker) delete into.speaker
  // The words of a part of the text would look like all of it.
  if (!segment.words) delete into.words
  for (const word of segment.words ?? []) into.words?.push(word)
}
