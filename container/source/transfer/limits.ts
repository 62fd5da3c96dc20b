import { SourceFailure } from '../../failures.ts'
import type { Sink } from '../source.ts'
import type { RetryPolicy } from './retry-policy.ts'

export interface DownloadOptions {
  /** A larger file fails with MEDIA_TOO_LARGE. */
  maxBytes?: number | undefined
  connections?: number
  retryPolicy?: Partial<RetryPolicy>
}

/** Checks the announced size too, so that a large file fails before it is fetched. */
export function withSizeLimit(maxBytes: number, sink: Sink): Sink {
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
    ...(sink.reserve && { reserve: sink.reserve }),
  }
}
