import { contentTypeOf } from '../../../domain/media/media-types.ts'
import type { Uploaded } from '../../../domain/protocol/protocol.ts'
import type { Rendition } from '../../source/source.ts'
import type { Spool } from '../../source/spool.ts'
import type { StepContext } from '../step.ts'
import { uploadFile } from './upload-file.ts'

/** The upload of a download that is not complete yet. */
export interface EarlyUpload {
  uploaded: Promise<Uploaded>
  /** The content type that storage received: the one that the source states. */
  contentType: string
  /** Cancels the upload and resolves when it has stopped. */
  cancel(): Promise<void>
}

/** The upload starts at this size. A smaller file may be uploaded with a single PUT. */
const START_BYTES = 8 * 1024 * 1024

export const uploadWhileDownloading = (
  { rendition, spool }: { rendition: Rendition; spool: Spool },
  totalBytes: () => number | null,
  { worker, signal: step }: StepContext,
): EarlyUpload => {
  const canceled = new AbortController()
  const signal = AbortSignal.any([step, canceled.signal])
  const contentType = contentTypeOf(rendition.container ?? '', rendition.videoCodec !== null)
  const start = async (): Promise<Uploaded> => {
    await spool.reached(START_BYTES)
    const sizeBytes = spool.ended ? spool.prefixBytes : totalBytes()
    return uploadFile(spool, { kind: 'media', contentType, sizeBytes }, worker, signal)
  }
  const uploaded = start()
  // Prevents an unhandled rejection: `uploaded` is awaited only after the file has been probed, if at all.
  const settled = uploaded.then(
    () => {},
    () => {},
  )
  return {
    uploaded,
    contentType,
    cancel: async () => {
      canceled.abort(new Error('the result is another file'))
      await settled
    },
  }
}
