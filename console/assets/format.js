/** Numbers and times, formatted for people. */
const locale = 'en'
const plain = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
const units = ['B', 'KB', 'MB', 'GB', 'TB']

/** @param {number} bytes */
export const size = (bytes) => {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)))
  return `${plain.format(bytes / 1000 ** step)} ${units[step]}`
}

/** Whole cents, with more digits for amounts below a cent. @param {number} amount */
export const dollars = (amount) => {
  const maximumFractionDigits = amount !== 0 && Math.abs(amount) < 0.01 ? 6 : 4
  return amount.toLocaleString(locale, { style: 'currency', currency: 'USD', maximumFractionDigits })
}

/** @param {number} amount */
export const price = (amount) => (amount === 0 ? 'free' : dollars(amount))

const MOST_LANGUAGES = 3

/** `moonshine-base: en, $0.01 a minute`. @param {Pick<import('../types.js').Model, 'name' | 'languages' | 'pricePerMinute'>} model */
export const modelText = ({ name, languages, pricePerMinute }) => {
  const facts = [
    ...(typeof languages === 'string' ? [] : [languagesText(languages)]),
    ...(pricePerMinute === 0 ? [] : [`${dollars(pricePerMinute)} a minute`]),
  ]
  return facts.length === 0 ? name : `${name}: ${facts.join(', ')}`
}

/** @param {readonly string[]} languages */
const languagesText = (languages) =>
  languages.length > MOST_LANGUAGES ? `${languages.length} languages` : languages.join(', ')

/** @param {number} used @param {number | null} budget null: there is none. */
export const ofBudget = (used, budget) => (budget === null ? dollars(used) : `${dollars(used)} of ${dollars(budget)}`)

/** @param {number} share From 0 to 1 */
export const percent = (share) => (share > 0 && share < 0.005 ? '< 1 %' : `${Math.round(share * 100)} %`)

/** @param {number} seconds */
export const duration = (seconds) => {
  if (seconds < 60) return `${plain.format(seconds)} s`
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const rest = `${String(whole % 60).padStart(2, '0')}`
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest} h` : `${minutes}:${rest} min`
}

/** A position in a recording, such as 1:02:03. @param {number} seconds */
export const position = (seconds) => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const parts = [...(hours > 0 ? [hours] : []), minutes, Math.floor(seconds % 60)]
  return parts.map((part, index) => (index === 0 ? `${part}` : String(part).padStart(2, '0'))).join(':')
}

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const spans = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** @param {string} iso */
export const ago = (iso) => {
  const seconds = (Date.parse(iso) - Date.now()) / 1000
  const [unit, length] = spans.find(([, span]) => Math.abs(seconds) >= span) ?? ['second', 1]
  return unit === 'second' ? 'just now' : relative.format(Math.round(seconds / length), unit)
}

/** @param {string} iso */
export const dateOf = (iso) => new Date(iso).toLocaleDateString(locale, { dateStyle: 'medium' })

const languages = new Intl.DisplayNames(locale, { type: 'language' })

/** Sources have tags that are none. @param {string} tag */
export const languageName = (tag) => {
  try {
    return languages.of(tag) ?? tag
  } catch {
    return tag
  }
}

/** @param {string} word */
export const capitalized = (word) => word.charAt(0).toUpperCase() + word.slice(1)

/** @param {string} url */
export const hostOf = (url) => URL.parse(url)?.host ?? url

/** @param {string} url */
export const placeOf = (url) => `${hostOf(url)}${URL.parse(url)?.pathname ?? ''}`
