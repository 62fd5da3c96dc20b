import { type Command, Option } from 'commander'
import { startFlags } from '../src/start-options.ts'
import { UsageError } from './exit-codes.ts'
import {
  parseClip,
  parseDollars,
  parseKeywords,
  parseMetadata,
  parseSpeakerCount,
  timeOption,
  wholeNumber,
} from './options.ts'
import type { OutputOptions } from './session.ts'

/**
 * The value after --audio and --transcript is optional. Without one the parser would take the URL that follows as the value,
 * so `--audio URL` becomes `--audio=source URL`.
 */
export const withPresets = (words: readonly string[]): string[] => {
  const end = words.indexOf('--')
  return words.map((word, index) => {
    const flag = end < 0 || index < end ? presetFlags.find((each) => each.words.startsWith(`${word} `)) : undefined
    return flag && !flag.values.some((value) => value === words[index + 1]) ? `${word}=${flag.preset}` : word
  })
}

const presetFlags = startFlags.import.filter((flag) => 'preset' in flag)

type StartCommand = keyof typeof startFlags
type Flag = (typeof startFlags)[StartCommand][number]
type Start = Flag['starts'][number]

/** The parsed options. Those of `addStartFlags` have the names of their flags. */
export type StartCommandOptions = OutputOptions & { wait: boolean } & Record<string, unknown>

/** Adds the flags of `POST /import`, `/transcribe`, `/batches` or `/watches`. The API checks most values. */
export const addStartFlags = (command: Command, name: StartCommand): Command => {
  for (const { words, about, type, starts } of startFlags[name]) {
    const option = new Option(words, about)
    // With those of its jobs, which are in the help of `haul batch`, the help of `haul watch` would not fit a screen.
    if (name === 'watch' && !starts.some((start) => start === 'watch')) option.hideHelp()
    const parse = words.includes(' ') && parserOf(type, words)
    command.addOption(parse ? option.argParser(parse) : option)
  }
  return command
}

/** The parser presets what a flag such as `--no-index` turns off, and then nothing is sent. */
const presetOf = (words: string): true | undefined => (words.startsWith('--no-') ? true : undefined)

type Parse = (text: string, before: unknown) => unknown

const parserOf = (type: Flag['type'], words: string): Parse | undefined => {
  const flag = words.split(' ')[0] ?? ''
  const parsers: Partial<Record<Flag['type'], Parse>> = {
    integer: wholeNumber(flag),
    time: timeOption(flag),
    dollars: parseDollars,
    clip: parseClip,
    speakers: parseSpeakerCount,
    list: parseKeywords,
    captionLanguages: (text) => (text === 'all' ? text : parseKeywords(text)),
    metadata: (text, before) => parseMetadata(text, before as Record<string, string> | undefined),
    watchFilter: partOfFilter(flag),
  }
  return parsers[type]
}

/** Flags of titles may be repeated, those of seconds are one number. */
const partOfFilter =
  (flag: string): Parse =>
  (text, before) => {
    const part = new Option(flag).attributeName()
    if (part.endsWith('Seconds')) return { [part]: wholeNumber(flag)(text) }
    const { [part]: others = [] } = (before ?? {}) as Record<string, string[]>
    return { [part]: [...others, text] }
  }

/**
 * The fields of the request, by the part they belong to. If two flags set one option, the later one in the list wins, unless
 * each sets a part of it.
 */
export const startFields = (name: StartCommand, given: object): Record<Start, Record<string, unknown>> => {
  const fields: Record<Start, Record<string, unknown>> = { import: {}, transcribe: {}, batch: {}, watch: {} }
  for (const { option, starts, words, type } of startFlags[name]) {
    const value = (given as Record<string, unknown>)[new Option(words).attributeName()]
    if (value === undefined || value === presetOf(words)) continue
    for (const start of starts) {
      const isPart = type === 'watchFilter'
      fields[start][option] = isPart ? { ...Object(fields[start][option]), ...value } : value
    }
  }
  // An audio format means that no video is wanted.
  if (fields.import.audioFormat !== undefined) fields.import.includeVideo = false
  return fields
}

/** The fields of one part that another has not. */
const fieldsBeside = (fields: object, others: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([option]) => !Object.hasOwn(others, option)))

/** The `import` of a request. `--transcript` makes a `transcribe` within it. */
export const importPart = (name: StartCommand, given: object): Record<string, unknown> => {
  const { import: fields, transcribe } = startFields(name, given)
  const words = fieldsBeside(transcribe, fields)
  if ('transcript' in given) return { ...fields, transcribe: words }
  if (isEmpty(words)) return fields
  throw new UsageError(
    `${flagNames(name, 'transcribe')} need ${name === 'import' ? '' : '--transcribe or '}--transcript.`,
  )
}

/** What a batch or a watch makes of its items: `transcribe` with `--transcribe`, else `import`. */
export const partOfItems = (name: 'batch' | 'watch', given: Record<string, unknown>): object => {
  const { import: imported, transcribe } = startFields(name, given)
  if (!given.transcribe) return { import: importPart(name, given) }
  if (!('transcript' in given) && isEmpty(fieldsBeside(imported, transcribe))) return { transcribe }
  throw new UsageError(`--transcript, ${flagNames(name, 'import')} do not go with --transcribe.`)
}

export const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0

/** Those of this part alone: `--quality and --audio`. */
const flagNames = (name: StartCommand, start: Start): string => {
  const flags = startFlags[name].filter(({ starts }) => starts.join() === start)
  const names = flags.map(({ words }) => words.split(' ')[0] ?? '')
  return new Intl.ListFormat('en-GB').format(names.filter((flag) => flag !== '--transcript'))
}
