import { firstIndex } from './runs.ts'
import type { Segment, SegmentWord } from './segment.ts'
import { leastConfidence } from './sentences.ts'
import { collapse, wordSeam } from './writing.ts'

/**
 * Engines return a text and, beside it, a list of its words: without the punctuation (OpenAI), in one list for all
 * segments (OpenAI), with words that are not in the text, or without some that are. Here, each word is found in the text
 * of its segment and takes the text up to the next one. So the words of a segment, joined, are always its text.
 *
 *   text   He said: “Co-operate, please.”
 *   list   He · said · Co · operate · please
 *   words  He · said: · “Co-operate, · please.”
 *
 * A word that is not found is left out, its text belongs to the word before it. Where the list has less than half of a
 * segment's text, the segment has no words.
 */
export const withWords = (segments: Segment[], list: SegmentWord[]): Segment[] => {
  const cursors = segments.map((segment): Cursor => ({ ...segment, text: collapse(segment.text), at: 0, found: [] }))
  let index = 0
  for (const word of list) {
    const text = collapse(word.text)
    const nearest = text === '' ? -1 : cursorOf(word, text, cursors, index)
    const cursor = cursors[nearest]
    if (cursor === undefined) continue
    const at = find(text, cursor)
    cursor.found.push({ word, at, to: at + text.length })
    cursor.at = at + text.length
    index = nearest
  }
  return segments.map(({ words: _, ...segment }, at) => {
    const words = written(cursors[at])
    return words.length > 0 ? { ...segment, words } : segment
  })
}

interface Cursor extends Segment {
  at: number
  found: { word: SegmentWord; at: number; to: number }[]
}

/** Words and segments of one response differ by less. */
const SLACK_SECONDS = 1
/** How far a word is searched for beyond the one before it: a few words that the list does not have. */
const SEARCHED_CHARACTERS = 40

const SEARCHED_SEGMENTS = 4

/** The first segment from `index` on that has the word at its time, which may be NaN. -1: none. */
const cursorOf = (word: SegmentWord, text: string, cursors: Cursor[], index: number): number => {
  const first = firstIndex(index, cursors.length, (at) => !(word.start >= (cursors[at]?.end ?? 0) + SLACK_SECONDS))
  for (let at = first; at < first + SEARCHED_SEGMENTS; at++) {
    const cursor = cursors[at]
    if (cursor === undefined || word.end <= cursor.start - SLACK_SECONDS) return -1
    if (find(text, cursor) !== -1) return at
  }
  return -1
}

/** Searches near the last find for a whole word, the start of one, or the next part of the last. -1: not found. */
const find = (word: string, { text, at }: Cursor): number => {
  const part = text.slice(at, at + word.length + SEARCHED_CHARACTERS)
  let start = -1
  for (let from = part.indexOf(word); from !== -1; from = part.indexOf(word, from + 1)) {
    const found = at + from
    const isStart = from === 0 || !isWithinWord(text, found)
    if (isStart && !isWithinWord(text, found + word.length)) return found
    if (isStart && start === -1) start = found
  }
  return start
}

const startsWithLetter = /^[\p{L}\p{N}\p{M}]/u
const endsWithLetter = /[\p{L}\p{N}\p{M}]$/u

/** Whether letters on both sides belong to one word. In Chinese every character may start a word. */
const isWithinWord = (text: string, at: number): boolean => {
  const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(at, at + 2)]
  return endsWithLetter.test(before) && startsWithLetter.test(after) && wordSeam(before, after) === ' '
}

const written = (cursor: Cursor | undefined): SegmentWord[] => {
  const { text, found } = cursor ?? { text: '', found: [] }
  const foundCharacters = found.reduce((sum, { at, to }) => sum + to - at, 0)
  if (foundCharacters * 2 < text.replaceAll(' ', '').length) return []
  const groups: { from: number; parts: SegmentWord[] }[] = []
  let end = 0
  for (const { word, at, to } of found) {
    const from = groups.length === 0 ? 0 : startOf(text, end, at)
    if (from === null) groups.at(-1)?.parts.push(word)
    else groups.push({ from, parts: [word] })
    end = to
  }
  return groups.map(({ from, parts }, index) => ({
    ...(parts[0] as SegmentWord),
    text: text.slice(from, groups[index + 1]?.from).trim(),
    end: parts.at(-1)?.end ?? Number.NaN,
    ...leastConfidence(parts),
  }))
}

/** Where the text of a word starts: opening punctuation is its own. null: nothing separates it from the one before. */
const startOf = (text: string, previousEnd: number, at: number): number | null => {
  const space = text.slice(previousEnd, at).lastIndexOf(' ')
  if (space !== -1) return previousEnd + space + 1
  return wordSeam(text.slice(Math.max(0, at - 2), at), text.slice(at, at + 2)) === '' ? at : null
}
