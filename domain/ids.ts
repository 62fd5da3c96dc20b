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
} as const

export type IdKind = keyof typeof prefixes

export const newId = (kind: IdKind, now: number): string => `${prefixes[kind]}_${ulid(now).toLowerCase()}`

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
