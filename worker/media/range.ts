/**
 * RFC 9110, section 14: one range of bytes, or what to do without one. Several ranges in one request are
 * allowed to be ignored, and players never send them.
 */
export type Wanted = { kind: 'all' } | { kind: 'part'; offset: number; length: number } | { kind: 'unsatisfiable' }

const all: Wanted = { kind: 'all' }
const unsatisfiable: Wanted = { kind: 'unsatisfiable' }

export const wantedRange = (header: string | null, size: number): Wanted => {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '')
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return all
  if (first === '') return suffix(Number(last), size)
  const offset = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < offset) return all
  return offset >= size ? unsatisfiable : { kind: 'part', offset, length: end - offset + 1 }
}

const suffix = (length: number, size: number): Wanted => {
  if (length === 0 || size === 0) return unsatisfiable
  const offset = Math.max(0, size - length)
  return { kind: 'part', offset, length: size - offset }
}

/** If-Range wants the very same bytes: a date, or a weak tag, is never enough to go on with a half-read file. */
export const rangeHolds = (ifRange: string | null, etag: string): boolean => ifRange === null || ifRange === etag

/** If-None-Match compares weakly: a list of tags, or * for anything that exists. */
export const isKnownTo = (ifNoneMatch: string | null, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
