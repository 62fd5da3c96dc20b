import { partLength, partsOf } from '../../../../domain/words/segment.ts'
import { seam } from '../../../../domain/words/writing.ts'
import type { Segments } from '../../../speech/transcript-layout.ts'
import { timestamp } from './page.ts'

/** A few sentences, so that a passage shows what its words are about. */
const BLOCK_CHARACTERS = 300
const MAX_BLOCK_CHARACTERS = 600
/** Segments further apart do not belong to one passage. */
const LONG_PAUSE_SECONDS = 20
const MAX_QUERY_WORDS = 20

export interface PassageRequest {
  words: string[]
  needed: number
  /** The part to begin with: see `blocks`. */
  from: number
  maxCharacters: number
}

export interface Passages {
  text: string
  count: number
  /** The part to continue with. null: nothing follows. */
  next: number | null
  /** The most words that one passage contains, whether there are enough or not. */
  mostWords: number
}

/** Finds passages in order. A passage is a block of a few segments, or two blocks if only both together contain the words. */
export const findPassages = async (segments: Segments, request: PassageRequest): Promise<Passages> => {
  const { words, needed, maxCharacters } = request
  const passages: Passages = { text: '', count: 0, next: null, mostWords: 0 }
  let previous: (Block & { found: boolean[]; isUsed: boolean }) | undefined
  for await (const block of blocks(segments, request.from)) {
    const found = wordsIn(block.text, words)
    const together = found.map((isFound, index) => isFound || (previous?.found[index] ?? false))
    const joined = previous && !previous.isUsed && countOf(found) < needed ? joinBlocks(previous, block) : block
    passages.mostWords = Math.max(passages.mostWords, countOf(together))
    const isPassage = countOf(joined === block ? found : together) >= needed
    if (isPassage && !add(passages, joined, maxCharacters)) return { ...passages, next: joined.part }
    previous = { ...block, found, isUsed: isPassage }
  }
  return passages
}

const countOf = (found: boolean[]): number => found.filter(Boolean).length

/** false: there is no space left for it. The first passage is shortened instead. */
const add = (passages: Passages, { start, text }: Block, maxCharacters: number): boolean => {
  const passage = `${passages.text === '' ? '' : '\n\n'}${timestamp(start)}${text}`
  if (passages.count > 0 && passages.text.length + passage.length > maxCharacters) return false
  passages.text +=
    passage.length > maxCharacters ? passage.slice(0, partLength(passage.slice(0, maxCharacters))) : passage
  passages.count++
  return true
}

interface Block {
  part: number
  start: number
  end: number
  text: string
}

const joinBlocks = (one: Block, other: Block): Block => ({
  ...one,
  end: other.end,
  text: one.text + seam(one.text, other.text) + other.text,
})

/** A segment has one part, or several if it is longer than a block. */
async function* blocks(segments: Segments, from: number): AsyncGenerator<Block> {
  let block: Block | undefined
  let index = -1
  for await (const segment of segments) {
    for (const { start, end, text } of partsOf(segment, MAX_BLOCK_CHARACTERS)) {
      index++
      if (index < from) continue
      const part = { part: index, start, end, text }
      if (block && isComplete(block, part)) {
        yield block
        block = undefined
      }
      block = block ? joinBlocks(block, part) : part
    }
  }
  if (block) yield block
}

const isComplete = ({ text, end }: Block, next: Block): boolean =>
  text.length >= BLOCK_CHARACTERS ||
  text.length + next.text.length > MAX_BLOCK_CHARACTERS ||
  next.start - end >= LONG_PAUSE_SECONDS

export const wordsOf = (query: string): string[] =>
  Array.from(new Set(comparable(query).split(/[^\p{L}\p{N}\p{M}]+/u)))
    .filter((word) => word !== '')
    .slice(0, MAX_QUERY_WORDS)

const comparable = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')

const wordsIn = (text: string, words: string[]): boolean[] => {
  const compared = comparable(text)
  return words.map((word) => containsWord(compared, word))
}

/** At the start of a word, so that `art` finds `artist` and not `party`. Chinese, Japanese and Thai have no such starts. */
const containsWord = (text: string, word: string): boolean => {
  if (isSpaceless.test(word)) return text.includes(word)
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !isLetter.test(text.charAt(at - 1))) return true
  }
  return false
}

const isLetter = /[\p{L}\p{N}\p{M}]/u
const isSpaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
