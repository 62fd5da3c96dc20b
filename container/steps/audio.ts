import type { AudioOrder } from '../../domain/protocol/protocol.ts'
import { isSilent, measureLoudness } from '../audio/loudness.ts'
import { SourceFailure } from '../failures.ts'
import { resolve } from '../source/resolve.ts'
import { openStored } from '../source/stored.ts'
import { decodeClip } from './decode/decode-clip.ts'
import { decodeWhole } from './decode/decode-whole.ts'
import { chaptersOf } from './linked-chapters.ts'
import type { StepFunction } from './step.ts'
import { titleAndChapters } from './title-and-chapters.ts'
import { uploadPieces } from './upload/upload-file.ts'

/**
 * From a URL, or a file in storage, to audio in storage, in pieces that a recognizer accepts:
 *
 *   resolve → report the duration → download → verify → decode once → cut at silences → upload
 *
 * The duration determines the price, so it is reported before any media is downloaded, and the Worker may stop
 * the step. For a clip, only what it needs is downloaded if the format allows it.
 */
export const prepareAudio: StepFunction<AudioOrder> = async (order, context) => {
  const { egress, extractor, progress, signal } = context
  const source = order.stored
    ? await openStored(order.url, order.stored, egress, signal)
    : await resolve(order.url, egress, extractor, signal)
  const { pcm, probed, downloadedBytes, ...durations } = order.clip
    ? await decodeClip(source, order.clip, order, context)
    : await decodeWhole(source, order, context)
  const loudness = await measureLoudness(pcm)
  if (isSilent(loudness)) throw new SourceFailure('NO_SPEECH')
  progress.set({ stage: 'uploading', percent: DECODED_PERCENT })
  const pieces = await uploadPieces(pcm, loudness, order.pieces, context, (share) =>
    progress.set({ percent: DECODED_PERCENT + Math.floor((100 - DECODED_PERCENT) * share) }),
  )
  const startSeconds = order.clip?.startSeconds ?? 0
  const placed = pieces.map((piece) => ({ ...piece, offsetSeconds: startSeconds + piece.offsetSeconds }))
  const chapters = await chaptersOf(order.linked, source, probed.durationSeconds, context)
  const about = titleAndChapters(order, { ...source, chapters }, probed)
  return { step: 'audio', ...durations, ...about, downloadedBytes, pieces: placed }
}

const DECODED_PERCENT = 75
