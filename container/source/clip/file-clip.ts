import type { Clip } from '../../../domain/protocol/protocol.ts'
import type { Egress } from '../../egress/egress.ts'
import type { Downloaded, Rendition, Sink } from '../source.ts'
import type { DownloadOptions } from '../transfer/limits.ts'

/** Which byte ranges of a file a clip needs. */
export interface FileClipPlan {
  /** What the clip costs to download, with the bytes that were already read to make this plan. */
  downloadBytes: number
  /** Of the whole file. The local file has the same length and layout, with holes. */
  fileBytes: number
  /** Of the media, from its index; null if that does not say. */
  mediaSeconds: number | null
  /** From this time of the media on, all streams are complete: the keyframe at or before the start of the clip. */
  completeFromSeconds: number
}

export interface FileClipContext {
  egress: Egress
  /** Private to this run of a step. */
  workDir: string
  signal: AbortSignal
}

/** null: the whole file has to be downloaded. Throws CLIP_OUT_OF_RANGE if the index says so. */
export const planFileClip = async (
  _rendition: Rendition,
  _clip: Clip,
  _context: FileClipContext,
): Promise<FileClipPlan | null> => null

/**
 * Announces `downloadBytes` to the sink and writes each byte at its offset of the whole file, those that were read
 * for the plan too. Resolves to the number of bytes.
 */
export const downloadFileClip = async (
  _plan: FileClipPlan,
  _egress: Egress,
  _sink: Sink,
  _signal: AbortSignal,
  _options: DownloadOptions = {},
): Promise<Downloaded> => {
  throw new Error('not built')
}
