import { milliseconds } from '../../../domain/words/segment.ts'
import { type DecodedPart, decodeAudio } from '../../audio/decode.ts'
import { BYTES_PER_SAMPLE, type Pcm, SAMPLE_RATE } from '../../audio/pcm.ts'
import { SourceFailure } from '../../failures.ts'
import type { MediaFile } from '../../media/ffmpeg.ts'
import { toEncode } from '../../media/spending.ts'
import { longestOf } from '../../media/stated-length.ts'
import type { StepContext } from '../step.ts'
import { untilAgreed } from '../until-agreed.ts'

export interface DecodeRequest {
  outputFile: string
  /** What the file is said to last, or what is cut out of it. */
  statedSeconds: number
  maxSeconds: number
  part?: DecodedPart | null
  /** What the step has on its disk beside the sound. */
  besideBytes: number
}

/** A file that lasts longer than it says is decoded again, up to this many times the length. */
const GROWTH = 2

/**
 * Decodes no more than the account has agreed to pay for. A file that lasts longer than it states is decoded again, as far
 * as the account then agrees; if that is not enough, the account ends the job.
 */
export const decodeAgreed = async (
  file: MediaFile,
  { outputFile, statedSeconds, maxSeconds, part = null, besideBytes }: DecodeRequest,
  context: StepContext,
): Promise<Pcm> => {
  const { progress, needDisk, signal } = context
  const agree = async (neededSeconds: number, wantedSeconds: number): Promise<number> => {
    progress.set({ durationSeconds: neededSeconds, durationIsEstimate: false, wantedSeconds })
    // Prices are those of whole milliseconds.
    const leastSeconds = milliseconds(neededSeconds)
    const agreed = await untilAgreed(({ seconds }) => seconds >= leastSeconds, context)
    return Math.max(neededSeconds, Math.min(wantedSeconds, agreed.seconds))
  }
  await agree(statedSeconds, statedSeconds)
  for (let seconds = longestOf(Math.min(maxSeconds, statedSeconds)); ; ) {
    // One second more, to detect what is longer.
    const spends = toEncode(seconds + 1, SAMPLE_RATE * BYTES_PER_SAMPLE)
    needDisk(besideBytes + spends.bytes)
    const pcm = await decodeAudio(file, { outputFile, seconds: seconds + 1, part, spends, signal })
    if (pcm.durationSeconds <= seconds) return pcm
    if (seconds >= maxSeconds) throw new SourceFailure('MEDIA_TOO_LONG')
    seconds = await agree(pcm.durationSeconds, Math.min(maxSeconds, GROWTH * pcm.durationSeconds))
  }
}
