import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, percentile } from '../timing.ts'
import { startWords, type Words } from './made-up-words.ts'
import type { Found, Search, Use } from './measures.ts'
import { queriesOf, queryKinds } from './queries.ts'
import { realSentences } from './sentences.ts'
import { speechOf } from './speech.ts'

const WARM_QUERIES = 300
const COLD_QUERIES = 60
const LIMIT = 10
const REPEATS = 7
const ADDED_AT_ONCE = 20
const LONG_HOURS = 12

/**
 * The index of an account with many hours, by the product's own object in workerd. Times are those in the object. Cold: the
 * system has dropped the database from its memory before each query.
 */
export const benchIndex = async (print: (line: string) => void, hours: number): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const sentences = realSentences()
  let words = await startWords(folder, sentences)
  try {
    const wordsAnHour = wordsIn(sentences)
    print(
      `${hours} hours of ${wordsAnHour.toFixed(0)} words, from ${sentences.length} sentences with ${vocabularyOf(sentences)} words`,
    )
    const { bytes, rowsWritten, changes, ms } = await fill(words, hours)
    const all = hours * wordsAnHour
    print(`bytes a word ${(bytes / all).toFixed(1)}, ${(bytes / 1e9).toFixed(2)} GB`)
    print(
      `rows written a word ${(rowsWritten / all).toFixed(4)}, an hour ${dollars(rowsWritten / hours)} (goal below $0.002), with those of FTS5's own tables ${dollars(changes / hours)}`,
    )
    print(`ms to index an hour ${(ms / hours).toFixed(0)}, on average while the index grows`)
    await words.stop()
    words = await startWords(folder, sentences)
    await searches(print, words, sentences)
    await addingAndRemoving(print, words, hours)
  } finally {
    await words.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const countWords = (text: string): number => text.split(' ').length

/** On average. */
const wordsIn = (sentences: string[]): number =>
  Array.from({ length: 100 }, (_, number) => speechOf(sentences, number, 1))
    .flat()
    .reduce((sum, { text }) => sum + countWords(text), 0) / 100

const vocabularyOf = (sentences: string[]): number =>
  new Set(sentences.flatMap((sentence) => sentence.toLowerCase().match(/\w+/g) ?? [])).size

const dollars = (rows: number): string => `$${(rows / 1e6).toFixed(5)}`

const fill = async (words: Words, hours: number) => {
  const use = { bytes: 0, rowsWritten: 0, changes: 0, ms: 0 }
  for (let from = 0; from < hours; from += ADDED_AT_ONCE) {
    const count = Math.min(ADDED_AT_ONCE, hours - from)
    const added = await words.add(Array.from({ length: count }, (_, index) => ({ number: from + index, hours: 1 })))
    use.bytes = added.bytes
    use.rowsWritten += added.rowsWritten
    use.changes += added.changes
    use.ms += added.ms
  }
  return use
}

const searches = async (print: (line: string) => void, words: Words, sentences: string[]): Promise<void> => {
  print('a page of ten: ms p50 / p99 / longest, and rows read p50 / most')
  for (const kind of queryKinds) {
    for (const sort of ['relevance', 'newest'] as const) {
      const asked = queriesOf(sentences, kind, WARM_QUERIES).map((query): Search => ({ query, sort, limit: LIMIT }))
      const cold: Found[] = []
      for (const search of asked.slice(0, COLD_QUERIES)) {
        await words.forget()
        cold.push(await words.find(search))
      }
      for (const search of asked) await words.find(search)
      const warm: Found[] = []
      for (const search of asked) warm.push(await words.find(search))
      print(`${kind}, ${sort}: warm ${timesOf(warm)} (goal p99 below 100), cold ${timesOf(cold)}, rows ${rowsOf(warm)}`)
    }
  }
}

const timesOf = (uses: Use[]): string => {
  const ms = uses.map((use) => use.ms)
  return [percentile(ms, 0.5), percentile(ms, 0.99), Math.max(...ms)].map((each) => each.toFixed(1)).join(' / ')
}

const rowsOf = (uses: Use[]): string => {
  const rows = uses.map((use) => use.rowsRead)
  return `${median(rows)} / ${Math.max(...rows)}`
}

/** To index and to remove an hour, and a transcript of twelve, when the index is full of others. */
const addingAndRemoving = async (print: (line: string) => void, words: Words, before: number): Promise<void> => {
  let number = 0
  for (const [hours, repeats] of [
    [1, REPEATS],
    [LONG_HOURS, 2],
  ] as const) {
    const [added, removed]: [Use[], Use[]] = [[], []]
    for (let index = 0; index < repeats; index++) {
      const recording = { number: before + number++, hours }
      added.push(await words.add([recording]))
      removed.push(await words.remove(recording))
    }
    print(`to index ${hours} h: ${changeOf(added)}; to remove it: ${changeOf(removed)}`)
  }
}

const changeOf = (uses: Use[]): string => {
  const ms = median(uses.map((use) => use.ms))
  const busy = Math.max(...uses.map((use) => use.busyMs))
  const rows = median(uses.map((use) => use.rowsWritten))
  return `${ms.toFixed(0)} ms, at most ${busy.toFixed(0)} ms at once, ${rows} rows written`
}
