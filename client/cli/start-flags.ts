import { type Command, Option } from 'commander'
import { startFlags } from '../src/start-options.ts'
import {
  parseClip,
  parseDollars,
  parseKeywords,
  parseMetadata,
  parseSpeakerCount,
  wholeNumber,
} from './option-values.ts'
import type { OutputOptions } from './session.ts'

/** The flags of the options of `POST /import`, `/transcribe` and `/batches`. The API checks most values. */

type StartCommand = keyof typeof startFlags
type Flag = (typeof startFlags)[StartCommand][number]
type Start = Flag['start']

/** What the parser has read. Those that this file adds are in it by the names of their flags. */
export type StartCommandOptions = OutputOptions & { wait: boolean } & Record<string, unknown>

export const addStartFlags = (command: Command, name: StartCommand): Command => {
  for (const { words, about, type } of startFlags[name]) {
    const parse = words.includes(' ') ? parserOf(type, words) : undefined
    if (parse) command.option(words, about, parse)
    else command.option(words, about)
  }
  return command
}

type Parse = (text: string, before: unknown) => unknown

const parserOf = (type: Flag['type'], words: string): Parse | undefined => {
  const parsers: Partial<Record<Flag['type'], Parse>> = {
    integer: wholeNumber(words.split(' ')[0]),
    dollars: parseDollars,
    clip: parseClip,
    speakers: parseSpeakerCount,
    list: parseKeywords,
    metadata: (text, before) => parseMetadata(text, before as Record<string, string> | undefined),
  }
  return parsers[type]
}

/** The fields of the request, by the part of it that they belong to. Of two flags of one option, the later in the list counts. */
export const startFields = (name: StartCommand, given: object): Record<Start, Record<string, unknown>> => {
  const fields: Record<Start, Record<string, unknown>> = { import: {}, transcribe: {}, batch: {} }
  for (const { option, start, words } of startFlags[name]) {
    const value = (given as Record<string, unknown>)[new Option(words).attributeName()]
    if (value !== undefined) fields[start][option] = value
  }
  // Whoever names a format of the sound wants no picture.
  if (fields.import.audioFormat !== undefined) fields.import.includeVideo = false
  return fields
}

/** `--quality, --audio and --store` */
export const flagNames = (name: StartCommand, start: Start): string => {
  const names = startFlags[name].filter((flag) => flag.start === start).map(({ words }) => words.split(' ')[0] ?? '')
  return new Intl.ListFormat('en-GB').format(names)
}
