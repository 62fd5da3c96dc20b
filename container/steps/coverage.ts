/** Which bytes of a file are there already, as sorted ranges that neither touch nor overlap. */
export class Coverage {
  #ranges: { start: number; end: number }[] = []
  #size = 0

  /** Adds [start, end) and says how many of its bytes were not there before. */
  add(start: number, end: number): number {
    const merged = { start, end }
    const apart: { start: number; end: number }[] = []
    let before = 0
    for (const range of this.#ranges) {
      if (range.end < start || range.start > end) {
        apart.push(range)
        continue
      }
      before += range.end - range.start
      merged.start = Math.min(merged.start, range.start)
      merged.end = Math.max(merged.end, range.end)
    }
    this.#ranges = [...apart, merged].sort((a, b) => a.start - b.start)
    const fresh = merged.end - merged.start - before
    this.#size += fresh
    return fresh
  }

  has(start: number, end: number): boolean {
    return this.#ranges.some((range) => range.start <= start && range.end >= end)
  }

  /** Everything before this is there. */
  get prefix(): number {
    const first = this.#ranges[0]
    return first?.start === 0 ? first.end : 0
  }

  get size(): number {
    return this.#size
  }
}
