import { SourceFailure } from '../../failures.ts'

/** Counts the downloaded bytes of all renditions of one step. Throws MEDIA_TOO_LARGE above the limit. */
export interface DownloadMeter {
  readonly downloadedBytes: number
  /** null until every rendition has announced its size. */
  readonly totalBytes: number | null
  add(bytes: number): void
  /** Records the announced size of one rendition. */
  announce(renditionIndex: number, bytes: number): void
}

export const createDownloadMeter = (
  renditionCount: number,
  maxBytes: number,
  onTotal: (bytes: number) => void,
): DownloadMeter => {
  const announced: (number | null)[] = Array.from({ length: renditionCount }, () => null)
  let downloadedBytes = 0
  const total = (): number | null => {
    const known = announced.filter((bytes) => bytes !== null)
    return known.length === renditionCount ? known.reduce((sum, bytes) => sum + bytes, 0) : null
  }
  const refuseTooLarge = (bytes: number) => {
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
      refuseTooLarge(downloadedBytes)
    },
    announce: (renditionIndex, bytes) => {
      announced[renditionIndex] = bytes
      refuseTooLarge(announced.reduce<number>((sum, size) => sum + (size ?? 0), 0))
      const totalBytes = total()
      if (totalBytes !== null) onTotal(totalBytes)
    },
  }
}
