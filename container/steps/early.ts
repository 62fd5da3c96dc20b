import { contentTypeOf } from '../../worker/domain/media/media-types.ts'
import type { Uploaded } from '../protocol.ts'
import type { Rendition } from '../source/source.ts'
import type { Spool } from './spool.ts'
import type { StepContext } from './step.ts'
import { upload } from './upload.ts'

/** The upload of a download that is not complete yet. */
export interface EarlyUpload {
  uploaded: Promise<Uploaded>
  /** What storage was told that it is, which is what the source calls it. */
  contentType: string
  /** Resolves when nothing of it is under way any more. */
  drop(): Promise<void>
}

/** Before that much is there, a file may turn out to be small enough to be sent at once. */
const EARLY_BYTES = 8 * 1024 * 1024

export const uploadEarly = (
  { rendition, spool }: { rendition: Rendition; spool: Spool },
  totalBytes: () => number | null,
  { worker, signal: step }: StepContext,
): EarlyUpload => {
  const dropped = new AbortController()
  const signal = AbortSignal.any([step, dropped.signal])
  const contentType = contentTypeOf(rendition.container ?? '', rendition.videoCodec !== null)
  const begin = async (): Promise<Uploaded> => {
    await spool.reached(EARLY_BYTES)
    const sizeBytes = spool.ended ? spool.prefixBytes : totalBytes()
    return upload(spool, { kind: 'media', contentType, sizeBytes }, worker, signal)
  }
  const uploaded = begin()
  // Awaited only once the file has been probed, and not at all when the step fails before.
  const settled = uploaded.then(
    () => {},
    () => {},
  )
  return {
    uploaded,
    contentType,
    drop: async () => {
      dropped.abort(new Error('the result is another file'))
      await settled
    },
  }
}
