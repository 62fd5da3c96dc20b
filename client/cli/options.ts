import { UsageError } from './exit-codes.ts'

const refuse = (flag: string, text: string, expected: string): never => {
  throw new UsageError(`${flag} ${text}: expected ${expected}.`)
}

/** An amount of dollars above zero, such as `1` or `$0.50`. */
export const parseDollars = (text: string): number =>
  dollarsIn(text) || refuse('--max-cost', text, 'dollars such as 1 or 0.50')

const dollarsIn = (text: string): number | undefined => {
  const amount = /^\$?(\d+(?:\.\d+)?|\.\d+)$/.exec(text.trim())?.[1]
  return amount === undefined ? undefined : Number(amount)
}

/** null: without a limit. */
export const parseBudget = (text: string): number | null =>
  text === 'none' ? null : (dollarsIn(text) ?? refuse('--budget', text, 'dollars such as 5 or 0.50, or none'))

export const parseScopes = (text: string): string[] => text.split(',').map((scope) => scope.trim())

const DAY_MS = 86_400_000

/** A time, or a number of days from now, in the format of the API. null: never. */
export const parseExpiry = (text: string, now: number = Date.now()): string | null => {
  if (text === 'never') return null
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1]
  if (days) return new Date(now + Number(days) * DAY_MS).toISOString()
  return timeIn(text) ?? refuse('--expires', text, 'a day such as 2027-01-31, a number of days such as 30d, or never')
}

/** `none`: no origin. */
export const parseOrigins = (words: string[]): string[] => {
  if (words.length === 1 && words[0] === 'none') return []
  const wrong = words.find((word) => !isHttpUrl(word))
  return wrong === undefined ? words : refuse('--origin', wrong, 'an origin such as https://app.example, or none')
}

export const wholeNumber =
  (flag = '') =>
  (text: string): number =>
    /^[1-9]\d{0,5}$/.test(text) ? Number(text) : refuse(flag, text, 'a whole number above zero')

export const parseLimit = wholeNumber('--limit')

/** One number, or a minimum and a maximum. */
export const parseSpeakerCount = (text: string): { min: number; max: number } => {
  const [, min, max = min] = /^([1-9]\d?)(?:-([1-9]\d?))?$/.exec(text) ?? []
  return min ? { min: Number(min), max: Number(max) } : refuse('--speaker-count', text, 'a number such as 2, or 2-4')
}

export const parseKeywords = (text: string): string[] => parseScopes(text).filter((keyword) => keyword !== '')

/** `KEY=VALUE`, for an option that may be given several times. The value may contain `=`. */
export const parseMetadata = (text: string, others: Record<string, string> = {}): Record<string, string> => {
  const [, key, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  return key ? { ...others, [key]: value } : refuse('--metadata', text, 'a key and a value such as show=news')
}

export const timeOption =
  (flag: string) =>
  (text: string): string =>
    timeIn(text) ?? refuse(flag, text, 'a time such as 2026-11-21 or 2026-11-21T09:00')

/** Without a zone, the time is local, and a day means its midnight. undefined: not a time. */
const timeIn = (text: string): string | undefined => {
  const [, day, rest] = /^(\d{4}-\d\d-\d\d)(.*)$/.exec(text) ?? []
  // `Date` takes the 31st of a shorter month as a day of the next month.
  if (!day || !isoTime(`${day}T00:00Z`)?.startsWith(day)) return undefined
  return isoTime(rest ? text : `${day}T00:00`)
}

const isoTime = (text: string): string | undefined => {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** Seconds, or `[h:]mm:ss[.fff]`. */
const time = '(?:\\d+(?:\\.\\d+)?|(?:\\d{1,3}:)?\\d{1,2}:\\d{2}(?:\\.\\d{1,3})?)'
const range = new RegExp(`^(?<start>${time})?-(?<end>${time})?$`)

/** `1:00-2:30`, `-2:30` or `1:00-`. The API takes seconds as numbers, and checks whether the end is after the start. */
export const parseClip = (text: string): Record<string, string | number> => {
  const ends = Object.entries(range.exec(text.trim())?.groups ?? {}).filter(([, at]) => at !== undefined)
  if (ends.length === 0) refuse('--clip', text, 'a start and an end such as 1:00-2:30, 1:00- or -2:30')
  return Object.fromEntries(ends.map(([name, at]) => [name, at.includes(':') ? at : Number(at)]))
}

/** The URLs of a file, one per line. Empty lines and lines that start with # are skipped. */
export const parseUrls = (text: string, name: string): string[] => {
  const urls: string[] = []
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
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

/** Quotes a word for a shell, if it needs quotes. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
