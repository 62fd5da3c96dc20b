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

const BODY = /^[0-9a-hjkmnp-tv-z]{26}$/

export const isId = (kind: IdKind, text: string): boolean => {
  const prefix = `${prefixes[kind]}_`
  return text.startsWith(prefix) && BODY.test(text.slice(prefix.length))
}

/** The ULID, which sorts by time across all kinds. */
export const positionOf = (id: string): string => id.slice(id.indexOf('_') + 1)
