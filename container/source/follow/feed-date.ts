/**
 * Milliseconds since 1970. null: no date can be read from the text. Feeds write dates by RFC 822, RFC 3339, or nearly so.
 * Never in the zone of this machine: a date without a zone, or with a name that is not known, is in UTC.
 */
export const dateOf = (text: string): number | null => {
  if (text.length > MAX_CHARACTERS) return null
  if (/^\s*\d{9,10}\s*$/.test(text)) return Number(text) * 1_000
  const { rest, time } = timeIn(text.replace(/\([^()]*\)/g, ' '))
  const day = dayIn(rest)
  if (day === null || time === null) return null
  const at = day + time
  // Programs write the first second of 1970 where they do not know.
  return at === 0 ? null : at
}

const MAX_CHARACTERS = 100
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** No place is further from UTC. */
const MAX_OFFSET_MS = 14 * HOUR_MS

/** What is left without the time and its zone. `time` is milliseconds since midnight in UTC; null: there is no such time. */
const timeIn = (text: string): { rest: string; time: number | null } => {
  const found = /(?:^|[\sT,])(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?m\b\.?)?/i.exec(text)
  if (!found) return { rest: text, time: 0 }
  const [all, hours, minutes, seconds = 0, fraction = '', half] = found
  const after = text.slice(found.index + all.length)
  const offset = /(?<!\d)([+-])(\d{1,2}):?(\d{2})?(?!\d)/.exec(after)
  const rest = `${text.slice(0, found.index)} ${offset ? after.replace(offset[0], ' ') : after}`
  const hour = hourOf(Number(hours), half?.toLowerCase())
  const isTime = hour <= 24 && Number(minutes) < 60 && Number(seconds) <= 60
  if (!isTime) return { rest, time: null }
  const milliseconds = Number(seconds) * 1_000 + Math.floor(Number(`0.${fraction || 0}`) * 1_000)
  return { rest, time: hour * HOUR_MS + Number(minutes) * MINUTE_MS + milliseconds - zoneOf(after, offset) }
}

const hourOf = (hour: number, half: string | undefined): number => {
  if (half === undefined || hour > 12) return hour
  return (hour % 12) + (half === 'p' ? 12 : 0)
}

const zoneOf = (text: string, offset: RegExpExecArray | null): number => {
  if (offset) {
    const [, sign, hours, minutes = 0] = offset
    const ahead = (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS)
    return Math.abs(ahead) > MAX_OFFSET_MS ? 0 : ahead
  }
  const name = text.match(/[a-z]+/gi)?.find((word) => hoursByZone.has(word.toUpperCase())) ?? ''
  return (hoursByZone.get(name.toUpperCase()) ?? 0) * HOUR_MS
}

/** Hours ahead of UTC. The names of North America are those of RFC 822. */
const hoursByZone: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7, AKST: -9, AKDT: -8 }),
  ...Object.entries({ ET: -5, CT: -6, MT: -7, PT: -8 }),
  ...Object.entries({ HST: -10, AST: -4, ADT: -3, BRT: -3, WET: 0, WEST: 1, BST: 1, CET: 1, MET: 1, CEST: 2, MEST: 2 }),
  ...Object.entries({ EET: 2, EEST: 3, SAST: 2, MSK: 3, JST: 9, KST: 9, AWST: 8, AEST: 10, AEDT: 11 }),
  ...Object.entries({ NZST: 12, NZDT: 13 }),
])

/** The beginnings of their names, in English and in what programs write for readers of other languages of Europe. */
const firstMonths =
  '(?:jan|gen|ene)|(?:feb|fév|fev)|(?:mar|mär|mrz|mrt)|(?:apr|avr|abr)|(?:may|mai|mei|mag)|(?:jun|juin|giu)'
const lastMonths = '(?:jul|juil|lug)|(?:aug|aoû|aou|ago)|(?:sep|set)|(?:oct|okt|ott|out)|(?:nov)|(?:dec|déc|dez|dic)'
const month = `\\b(?<month>${firstMonths}|${lastMonths})[a-zà-ÿ]{0,12}`
const months = `${firstMonths}|${lastMonths}`
  .slice('(?:'.length, -1)
  .split(')|(?:')
  .map((names) => names.split('|'))
const ordinal = '(?<day>\\d{1,2})(?:st|nd|rd|th)?'
const year = '(?<year>\\d{4}|\\d{2})(?!\\d)'

/** Of 04/05 the first is the month, if it can be one. */
const forms = [
  /(?<!\d)(?<year>\d{4})[-/.](?<month>\d{1,2})(?:[-/.](?<day>\d{1,2}))?(?!\d)/,
  /(?<!\d)(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?!\d)/,
  new RegExp(`(?<!\\d)${ordinal}[\\s.,/-]{0,9}${month}[\\s.,/'-]{0,9}${year}`, 'i'),
  new RegExp(`${month}[\\s.,/-]{0,9}${ordinal}(?!\\d)[^\\d]{1,30}${year}`, 'i'),
  new RegExp(`(?<!\\d[\\s.,/-]{0,3})${month}[\\s.,/-]{1,9}(?<year>\\d{4})(?!\\d)`, 'i'),
  new RegExp(`(?<!\\d)(?<day>\\d{1,2})[. ](?<month>\\d{1,2})[. ]${year}`),
  new RegExp(`(?<!\\d)(?<month>\\d{1,2})/(?<day>\\d{1,2})/${year}`),
  new RegExp(`(?<!\\d)(?<day>\\d{1,2})/(?<month>\\d{1,2})/${year}`),
  /(?<!\d)(?<month>\d{1,2})-(?<day>\d{1,2})-(?<year>\d{4})(?!\d)/,
  /^\s*(?<year>\d{4})\s*$/,
]

/** Midnight of the day in UTC. */
const dayIn = (text: string): number | null => {
  for (const form of forms) {
    const { year = '', month = '1', day = '1' } = form.exec(text)?.groups ?? {}
    const midnight = year === '' ? null : midnightOf(fullYear(year), monthOf(month.toLowerCase()), Number(day))
    if (midnight !== null) return midnight
  }
  return null
}

/** January is 0. */
const monthOf = (month: string): number =>
  /^\d/.test(month) ? Number(month) - 1 : months.findIndex((names) => names.includes(month))

/** RFC 2822, section 4.3. */
const fullYear = (year: string): number =>
  year.length > 2 ? Number(year) : Number(year) + (Number(year) < 50 ? 2000 : 1900)

/** Some programs write the year 1 where they do not know. */
const FIRST_YEAR = 1_000

/** null: there is no such day. */
const midnightOf = (year: number, month: number, day: number): number | null => {
  const midnight = Date.UTC(year, month, day)
  const exists = month >= 0 && month < 12 && day > 0 && new Date(midnight).getUTCMonth() === month
  return exists && year >= FIRST_YEAR ? midnight : null
}
