import { SourceFailure } from '../source/failure.ts'

/** Counts the media bytes of one step, over all its renditions, and stops it at the limit. */
export interface Meter {
  readonly downloadedBytes: number
  /** null until every rendition has announced its size. */
  readonly totalBytes: number | null
  add(bytes: number): void
  /** What one of the renditions says of its size; throws when that is more than the step may have. */
  announce(rendition: number, bytes: number): void
}

export const createMeter = (renditions: number, maxBytes: number, onTotal: (bytes: number) => void): Meter => {
  const announced: (number | null)[] = Array.from({ length: renditions }, () => null)
  let downloadedBytes = 0
  const total = (): number | null => {
    const known = announced.filter((bytes) => bytes !== null)
    return known.length === renditions ? known.reduce((sum, bytes) => sum + bytes, 0) : null
  }
  const refuseAbove = (bytes: number) => {
    if (bytes > maxBytes) throw new SourceFailure('MEDIA_TOO_LARGE')
  }
  return {
    get downloadedBytes() {
      return downloadedBytes
    },
    get totalBytes() {
      return total()
    },
    add: (bytes) => {
      downloadedBytes += bytes
      refuseAbove(downloadedBytes)
    },
    announce: (rendition, bytes) => {
      announced[rendition] = bytes
      refuseAbove(announced.reduce<number>((sum, size) => sum + (size ?? 0), 0))
      const bytesOfAll = total()
      if (bytesOfAll !== null) onTotal(bytesOfAll)
    },
  }
}
