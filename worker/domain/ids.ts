import { ulid } from 'ulidx'

/** Prefixed, opaque, ordered by time: a ULID in lower case, so that rows sort by when they were made. */
const prefixes = {
  import: 'imp',
  transcription: 'trn',
  account: 'acct',
  key: 'key',
  event: 'evt',
  request: 'req',
  entry: 'ent',
  delivery: 'dlv',
} as const

export type IdKind = keyof typeof prefixes

export const newId = (kind: IdKind, now: number): string => `${prefixes[kind]}_${ulid(now).toLowerCase()}`

const BODY = /^[0-9a-hjkmnp-tv-z]{26}$/

export const isId = (kind: IdKind, text: string): boolean => {
  const prefix = `${prefixes[kind]}_`
  return text.startsWith(prefix) && BODY.test(text.slice(prefix.length))
}

/** The part that is ordered by time, whatever the prefix. */
export const positionOf = (id: string): string => id.slice(id.indexOf('_') + 1)
