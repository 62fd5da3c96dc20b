import { BYTES_PER_SAMPLE, type Pcm, SAMPLE_RATE } from '../../audio/pcm.ts'
import type { ProbedFile } from '../../media/probe.ts'

export interface DecodedAudio {
  pcm: Pcm
  probed: ProbedFile
  /** How long the media or the clip is. The audio may be shorter. */
  durationSeconds: number
  /** How long the whole media is, if this is a clip. */
  mediaSeconds?: number
  /** From the source. A file in our own storage is no download. */
  downloadedBytes: number
}

/** The step's percentage when the download is complete. */
export const DOWNLOADED_PERCENT = 60

export const decodedBytes = (seconds: number): number => Math.ceil(seconds * SAMPLE_RATE * BYTES_PER_SAMPLE)
