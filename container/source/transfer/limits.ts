import { SourceFailure } from '../failure.ts'
import type { Sink } from '../source.ts'
import type { Patience } from './patience.ts'

export interface DownloadOptions {
  /** More is MEDIA_TOO_LARGE. */
  maxBytes?: number | undefined
  connections?: number
  patience?: Partial<Patience>
}

/** Refuses what is too large as soon as it is known to be. */
export function limitedTo(maxBytes: number, sink: Sink): Sink {
  const check = (bytes: number) => {
    if (bytes > maxBytes) throw new SourceFailure('MEDIA_TOO_LARGE')
  }
  return {
    announce(totalBytes) {
      check(totalBytes)
      sink.announce(totalBytes)
    },
    async write(bytes, offset) {
      check(offset + bytes.length)
      await sink.write(bytes, offset)
    },
  }
}
