import { ulid } from 'ulidx'

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
} as const

export type IdKind = keyof typeof prefixes

export const newId = (kind: IdKind, now: number): string => `${prefixes[kind]}_${ulid(now, random).toLowerCase()}`

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

/** The regular expression of an id of one of these kinds, without anchors. */
export const idPattern = (...kinds: IdKind[]): string => `(?:${kinds.map((kind) => prefixes[kind]).join('|')})_${BODY}`

const isBody = new RegExp(`^${BODY}$`)

export const isId = (kind: IdKind, text: string): boolean => {
  const prefix = `${prefixes[kind]}_`
  return text.startsWith(prefix) && isBody.test(text.slice(prefix.length))
}

/** The ULID, which sorts by time across all kinds. */
export const positionOf = (id: string): string => id.slice(id.indexOf('_') + 1)
