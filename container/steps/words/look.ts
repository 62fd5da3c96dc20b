import { type Peeked, peek } from '../../media/peek.ts'
import { chosen, select } from '../../media/select.ts'
import { SourceFailure } from '../../source/failure.ts'
import type { Rendition, Source } from '../../source/source.ts'
import type { StepContext } from '../step.ts'

/** The smallest thing that has the sound. Throws NO_AUDIO where there is none. */
export const soundOf = ({ renditions }: Source): Rendition => {
  const [sound] = chosen(
    select(renditions, { includeVideo: false, includeAudio: true, videoQuality: 'lowest', audioQuality: 'lowest' }),
  )
  if (!sound) throw new SourceFailure('NO_AUDIO')
  return sound
}

/** What a file says of itself in its first and last bytes; null for what is no file, or does not tell. */
export const lookInto = async (
  { transport }: Rendition,
  { egress, workDir, signal }: StepContext,
): Promise<Peeked | null> => {
  if (transport.kind !== 'file') return null
  try {
    return await peek(transport, egress, workDir, signal)
  } catch (error) {
    signal.throwIfAborted()
    // Who downloads it will say so.
    if (error instanceof SourceFailure) return null
    throw error
  }
}

/** What its download will be, announced or estimated; null when nobody knows. */
export const bytesOf = (
  { sizeBytes, bitrate }: Rendition,
  peeked: Peeked | null,
  durationSeconds: number | null,
): number | null => {
  const estimate = bitrate && durationSeconds ? (bitrate / 8) * durationSeconds : null
  const bytes = sizeBytes ?? peeked?.sizeBytes ?? estimate
  return bytes === null ? null : Math.round(bytes)
}
