import { encodeTime, ulid } from 'ulid'
import { isRegion, REGION_PATTERN } from './account/regions.ts'

/** A prefix and a lowercase ULID, so that IDs of a kind sort by creation time. */
const prefixes = {
  import: 'imp',
  transcription: 'trn',
  account: 'acct',
  key: 'key',
  event: 'evt',
  request: 'req',
  entry: 'ent',
  upload: 'upl',
  batch: 'bat',
  watch: 'wat',
  watchItem: 'wit',
} as const

export type IdKind = keyof typeof prefixes

/** Not before the first millisecond of 1970: the library takes 0 for the present. */
export const newId = (kind: IdKind, now: number): string =>
  `${prefixes[kind]}_${ulid(Math.max(1, now), random).toLowerCase()}`

const RANDOM_BYTES = 1024
const randomBytes = new Uint8Array(RANDOM_BYTES)
let usedBytes = RANDOM_BYTES

/** From 0 to below 1, for one letter of an ID. By default the library calls getRandomValues for each letter. */
const random = (): number => {
  if (usedBytes === RANDOM_BYTES) {
    crypto.getRandomValues(randomBytes)
    usedBytes = 0
  }
  return (randomBytes[usedBytes++] ?? 0) / 256
}

const BODY = '[0-9a-hjkmnp-tv-z]{26}'

/** An account may have a region at the end of its id. */
const idBodyOf = (kind: IdKind): string => (kind === 'account' ? `${BODY}(?:_${REGION_PATTERN})?` : BODY)

export const idPattern = (...kinds: IdKind[]): string =>
  `(?:${kinds.map((kind) => `${prefixes[kind]}_${idBodyOf(kind)}`).join('|')})`

const isBody = new RegExp(`^${BODY}$`)

export const isId = (kind: IdKind, text: string): boolean => {
  const [prefix, body = '', region, ...rest] = text.split('_')
  if (prefix !== prefixes[kind] || !isBody.test(body) || rest.length > 0) return false
  return region === undefined || (kind === 'account' && isRegion(region))
}

export const latest = (...ids: string[]): string => ids.sort().at(-1) ?? ''

/** The ULID, which sorts by time across all kinds. */
export const positionOf = (id: string): string => id.slice(id.indexOf('_') + 1)

export const idAt = (kind: IdKind, position: string): string => `${prefixes[kind]}_${position}`

/** The first characters of a ULID are its time. */
const TIME_CHARACTERS = 10
const POSITION_CHARACTERS = 26
const LATEST = 2 ** 48 - 1

/** No position of this time or later comes before it. */
export const firstPositionAt = (ms: number): string =>
  encodeTime(Math.min(Math.max(ms, 0), LATEST), TIME_CHARACTERS).toLowerCase()

/** No position of the same millisecond comes after it. */
export const lastPositionOfTime = (position: string): string =>
  position.slice(0, TIME_CHARACTERS).padEnd(POSITION_CHARACTERS, 'z')
