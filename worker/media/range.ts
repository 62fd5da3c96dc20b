/** RFC 9110, section 14. A server may ignore a request for several ranges, and players never send one. */
export type RequestedRange =
  | { kind: 'all' }
  | { kind: 'part'; offset: number; length: number }
  | { kind: 'unsatisfiable' }

const all: RequestedRange = { kind: 'all' }
const unsatisfiable: RequestedRange = { kind: 'unsatisfiable' }

export const parseRange = (header: string | null, size: number): RequestedRange => {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '')
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return all
  if (first === '') return suffix(Number(last), size)
  const offset = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < offset) return all
  return offset >= size ? unsatisfiable : { kind: 'part', offset, length: end - offset + 1 }
}

const suffix = (length: number, size: number): RequestedRange => {
  if (length === 0 || size === 0) return unsatisfiable
  const offset = Math.max(0, size - length)
  return { kind: 'part', offset, length: size - offset }
}

/** If-Range requires a strong match (RFC 9110, section 13.1.5). Dates are never strong enough here. */
export const ifRangeMatches = (ifRange: string | null, etag: string): boolean => ifRange === null || ifRange === etag

/** If-None-Match uses weak comparison: a list of ETags, or `*` for any existing object. */
export const ifNoneMatchMatches = (ifNoneMatch: string | null, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
