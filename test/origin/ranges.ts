export interface Range {
  start: number
  /** Exclusive. */
  end: number
}

/** RFC 9110 14.1.2, one range only. `null`: none was asked for, or it makes no sense and is ignored. */
export function parseRange(header: string | undefined, sizeBytes: number): Range | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (!first && !last) return null
  const start = first ? Number(first) : Math.max(0, sizeBytes - Number(last))
  const end = first && last ? Math.min(sizeBytes, Number(last) + 1) : sizeBytes
  return start < end ? { start, end } : 'unsatisfiable'
}
