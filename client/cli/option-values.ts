import { startFlags } from '../src/start-options.ts'
import { UsageError } from './exit-codes.ts'

/** What words of the command line mean. */

/** An amount of dollars above zero, such as `1` or `$0.50`. */
export const parseDollars = (text: string): number => {
  const dollars = dollarsIn(text)
  if (!dollars) throw new UsageError(`--max-cost ${text}: expected dollars such as 1 or 0.50.`)
  return dollars
}

const dollarsIn = (text: string): number | undefined => {
  const amount = /^\$?(\d+(?:\.\d+)?|\.\d+)$/.exec(text.trim())?.[1]
  return amount === undefined ? undefined : Number(amount)
}

/** null: without a limit. */
export const parseBudget = (text: string): number | null => {
  if (text === 'none') return null
  const dollars = dollarsIn(text)
  if (dollars === undefined) throw new UsageError(`--budget ${text}: expected dollars such as 5 or 0.50, or none.`)
  return dollars
}

export const parseScopes = (text: string): string[] => text.split(',').map((scope) => scope.trim())

const DAY_MS = 86_400_000

/** A time, or so many days from now, as the API takes it. null: never. */
export const parseExpiry = (text: string, now: number = Date.now()): string | null => {
  if (text === 'never') return null
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1]
  if (days) return new Date(now + Number(days) * DAY_MS).toISOString()
  const time = timeIn(text)
  if (time) return time
  throw new UsageError(`--expires ${text}: expected a day such as 2027-01-31, a number of days such as 30d, or never.`)
}

/** `none` stands for no origin. */
export const parseOrigins = (words: string[]): string[] => {
  if (words.length === 1 && words[0] === 'none') return []
  const wrong = words.find((word) => !isHttpUrl(word))
  if (wrong !== undefined) {
    throw new UsageError(`--origin ${wrong}: expected an origin such as https://app.example, or none.`)
  }
  return words
}

export const wholeNumber =
  (option = '') =>
  (text: string): number => {
    if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`${option} ${text}: expected a whole number above zero.`)
    return Number(text)
  }

export const parseLimit = wholeNumber('--limit')

/** One number, or the least and the most. */
export const parseSpeakerCount = (text: string): { min: number; max: number } => {
  const [, min, max = min] = /^([1-9]\d?)(?:-([1-9]\d?))?$/.exec(text) ?? []
  if (min === undefined) throw new UsageError(`--speaker-count ${text}: expected a number such as 2, or 2-4.`)
  return { min: Number(min), max: Number(max) }
}

/** Separated by commas. */
export const parseKeywords = (text: string): string[] =>
  text
    .split(',')
    .map((keyword) => keyword.trim())
    .filter((keyword) => keyword !== '')

/** `KEY=VALUE`, for an option that may be given several times. The value may contain `=`. */
export const parseMetadata = (text: string, others: Record<string, string> = {}): Record<string, string> => {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (key === undefined || value === undefined)
    throw new UsageError(`--metadata ${text}: expected a key and a value such as show=news.`)
  return { ...others, [key]: value }
}

/** A time as the API takes it. */
export const timeOption =
  (option: string) =>
  (text: string): string => {
    const time = timeIn(text)
    if (time) return time
    throw new UsageError(`${option} ${text}: expected a time such as 2026-11-21 or 2026-11-21T09:00.`)
  }

/** Without a zone it is of this machine, and a day begins at midnight. undefined: it is no time. */
const timeIn = (text: string): string | undefined => {
  const [, day, rest] = /^(\d{4}-\d\d-\d\d)(.*)$/.exec(text) ?? []
  if (!day || !isInCalendar(day)) return undefined
  const time = new Date(rest ? text : `${text}T00:00`)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** The parser of JavaScript takes the 31st of a shorter month for a day of the next one. */
const isInCalendar = (day: string): boolean => {
  const midnight = new Date(`${day}T00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

export interface Clip {
  start?: string | number
  end?: string | number
}

/** Seconds, or `[h:]mm:ss[.fff]`. */
const time = '(?:\\d+(?:\\.\\d+)?|(?:\\d{1,3}:)?\\d{1,2}:\\d{2}(?:\\.\\d{1,3})?)'
const range = new RegExp(`^(${time})?-(${time})?$`)

/** `1:00-2:30`, `-2:30` or `1:00-`. Whether the end is after the start is checked by the API. */
export const parseClip = (text: string): Clip => {
  const [, start, end] = range.exec(text.trim()) ?? []
  if (start === undefined && end === undefined) {
    throw new UsageError(`--clip ${text}: expected a start and an end such as 1:00-2:30, 1:00- or -2:30.`)
  }
  return {
    ...(start === undefined ? {} : { start: timeOf(start) }),
    ...(end === undefined ? {} : { end: timeOf(end) }),
  }
}

/** The API takes seconds as numbers. */
const timeOf = (text: string): string | number => (text.includes(':') ? text : Number(text))

/** The URLs of a file, one in a line. Empty lines and lines that start with # are left out. */
export const parseUrls = (text: string, name: string): string[] => {
  const urls: string[] = []
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const word = line.trim()
    if (word === '' || word.startsWith('#')) continue
    if (!isHttpUrl(word))
      throw new UsageError(`${name}, line ${index + 1}: expected a URL that starts with http:// or https://.`)
    urls.push(word)
  }
  if (urls.length === 0) throw new UsageError(`${name} has no URLs.`)
  return urls
}

export const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

/**
 * The format after --audio may be missing, and the parser would then take the URL behind it for one. So
 * `--audio URL` becomes `--audio=source URL`.
 */
export const withAudioFormat = (words: readonly string[]): string[] => {
  const end = words.indexOf('--')
  return words.map((word, index) => {
    const isOption = word === '--audio' && (end < 0 || index < end)
    return isOption && !isFormat(words[index + 1]) ? '--audio=source' : word
  })
}

const isFormat = (word: string | undefined): boolean =>
  startFlags.import.some((flag) => flag.option === 'audioFormat' && flag.values.some((value) => value === word))

/** A word as it can be pasted into a shell. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
