import type { Command } from 'commander'
import type { SearchFilter, SearchResult } from '../../src/index.ts'
import { all } from '../entries.ts'
import { parseLimit, parseMetadata, timeOption } from '../options.ts'
import { type OutputOptions, openSession } from '../session.ts'
import { type Color, printable, printablePart, printLine } from '../terminal/output.ts'
import { durationText } from '../terminal/quantities.ts'

interface Options extends OutputOptions {
  after?: string
  before?: string
  language?: string
  speaker?: string
  watch?: string
  job?: string
  metadata?: Record<string, string>
  newest?: true
  limit: number
}

export const addSearch = (program: Command): Command =>
  program
    .command('search')
    .summary('find where words were said')
    .description('Finds the passages of transcripts, captions and titles that have all the words, the best first.')
    .argument('<words...>', `words, '"a phrase"', 'word*' and -word`)
    .option('--after <time>', 'only in jobs created then or later: 2026-11-21', timeOption('--after'))
    .option('--before <time>', 'only in jobs created earlier: 2026-11-21T09:00', timeOption('--before'))
    .option('--language <code>', 'only words of this language: en')
    .option('--speaker <name>', 'only words of this speaker: A')
    .option('--watch <id>', 'only in jobs of this watch: wat_…')
    .option('--job <id>', 'only in this job: imp_…, trn_…')
    .option('--metadata <key=value>', 'only in jobs with this; may be repeated', parseMetadata)
    .option('--newest', 'the newest first')
    .option('--limit <number>', 'the number of passages', parseLimit, 10)
    .addHelpText('after', `\nExample:\n  haul search lease '"expires at noon"' -draft --after 2026-11-21`)
    .action(search)

/** Words that begin with a minus look like options to the parser, unless a space is before them. */
export const withUnwantedWords = (words: readonly string[]): string[] =>
  words[0] === 'search' ? words.map((word) => (isUnwanted(word) ? ` ${word}` : word)) : [...words]

const isUnwanted = (word: string): boolean => /^-[^-]/.test(word) && word !== '-q' && word !== '-h'

const search = async (words: string[], options: Options): Promise<void> => {
  const { haul, signal, print, note, paint } = await openSession(options)
  const filter = { ...filterOf(options), limit: options.limit, signal }
  const results = await all(haul.search(words.map((word) => word.trim()).join(' '), filter))
  await print({ results }, async () => {
    if (results.length === 0) return note('No passage was found that has all of these words.')
    await printLine(results.map((result) => passageLines(result, paint).join('\n')).join('\n\n'))
  })
}

const filterOf = ({ after, before, language, speaker, watch, job, metadata, newest }: Options): SearchFilter => {
  const filter = { after, before, language, speaker, watchId: watch, jobId: job, metadata }
  return { ...filter, ...(newest && { sort: 'newest' }) } as SearchFilter
}

type Paint = (color: Color, text: string) => string

export const passageLines = (result: SearchResult, paint: Paint): string[] => {
  const { jobId, title, url, link, start, speaker } = result
  const facts = [durationText(Math.floor(start)), speaker && printable(speaker)].filter(Boolean)
  return [
    `${paint('bold', printable(title ?? url ?? jobId))} (${printable(jobId)})  ${facts.join('  ')}`,
    `  ${markedText(result, (text) => paint('yellow', text))}`,
    ...(link ? [`  ${printable(link)}`] : []),
  ]
}

/** Places of matches count the characters as they came, so each part is cleaned by itself. */
const markedText = ({ snippet, matches }: SearchResult, mark: (text: string) => string): string => {
  let end = 0
  const parts = matches.flatMap(([at, length]) => {
    const before = snippet.slice(end, at)
    end = at + length
    return [printablePart(before), mark(printablePart(snippet.slice(at, end)))]
  })
  return [...parts, printablePart(snippet.slice(end))].join('').trim()
}
