import type { Selection } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import { chooseRenditions } from '../../media/choose-quality.ts'
import { type PeekedFile, peekFile } from '../../media/peek.ts'
import type { Rendition, Source } from '../../source/source.ts'
import type { StepContext } from '../step.ts'

/** The smallest rendition with audio. Throws NO_AUDIO if there is none. */
export const audioRendition = ({ renditions }: Source): Rendition => {
  const selection: Selection = {
    includeVideo: false,
    includeAudio: true,
    videoQuality: 'lowest',
    audioQuality: 'lowest',
  }
  const [audio] = chooseRenditions(renditions, selection)
  if (!audio) throw new SourceFailure('NO_AUDIO')
  return audio
}

/** Probes the first and last bytes of a file; null if the rendition is not a file or the bytes are not enough. */
export const peekRendition = async (
  { transport }: Rendition,
  { egress, workDir, signal }: StepContext,
): Promise<PeekedFile | null> => {
  if (transport.kind !== 'file') return null
  try {
    return await peekFile(transport, egress, workDir, signal)
  } catch (error) {
    signal.throwIfAborted()
    // The download fails in the same way and reports it.
    if (error instanceof SourceFailure) return null
    throw error
  }
}

/** The download's size, announced or estimated; null if unknown. */
export const downloadBytes = (
  { sizeBytes, bitrate }: Rendition,
  peeked: PeekedFile | null,
  durationSeconds: number | null,
): number | null => {
  const estimate = bitrate && durationSeconds ? (bitrate / 8) * durationSeconds : null
  const bytes = sizeBytes ?? peeked?.sizeBytes ?? estimate
  return bytes === null ? null : Math.round(bytes)
}
