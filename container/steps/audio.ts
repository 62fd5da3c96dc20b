import { lanes } from '../../domain/lanes.ts'
import type { AudioOrder, UploadedAudio } from '../../domain/protocol/protocol.ts'
import { milliseconds } from '../../domain/words/segment.ts'
import { isSilent, type Loudness, measureLoudness } from '../audio/loudness.ts'
import type { Pcm } from '../audio/pcm.ts'
import { SourceFailure } from '../failures.ts'
import { openStored, resolve } from '../source/resolve.ts'
import { EngineUnavailable } from '../speech/model-folder.ts'
import type { SpeakerFinder } from '../speech/speakers.ts'
import { decodeClip } from './decode/decode-clip.ts'
import { decodeWhole } from './decode/decode-whole.ts'
import { chaptersOf } from './linked-chapters.ts'
import { GivenBack, type StepContext, type StepFunction } from './step.ts'
import { titleAndChapters } from './title-and-chapters.ts'
import { uploadPieces, uploadTurns } from './upload/upload-file.ts'

/**
 * From a URL, or a file in storage, to audio in storage, in pieces that a recognizer accepts:
 *
 *   resolve → report the duration → download → verify → decode once → cut at silences → upload
 *
 * The duration determines the price, so it is reported before any media is downloaded, and the Worker may stop
 * the step. For a clip, only what it needs is downloaded if the format allows it. If the order asks who speaks, that is
 * found out beside the upload.
 */
export const prepareAudioWith =
  (speakers: SpeakerFinder): StepFunction<AudioOrder> =>
  async (order, context) => {
    const { egress, extractor, progress, signal } = context
    if (order.speakers) await ifAvailable(speakers.check(), context)
    const source = order.stored
      ? await openStored(order.url, order.stored, egress, signal)
      : await resolve(order.url, egress, extractor, signal)
    const { pcm, probed, downloadedBytes, ...durations } = order.clip
      ? await decodeClip(source, order.clip, order, context)
      : await decodeWhole(source, order, context)
    const loudness = await measureLoudness(pcm)
    if (isSilent(loudness)) throw new SourceFailure('NO_SPEECH')
    progress.set({ stage: 'uploading', percent: DECODED_PERCENT })
    const uploaded = await upload({ pcm, loudness, order, speakers }, context)
    const chapters = await chaptersOf(order.linked, source, probed.durationSeconds, context)
    const about = titleAndChapters(order, { ...source, chapters }, probed)
    return { step: 'audio', ...durations, ...about, downloadedBytes, ...uploaded }
  }

const DECODED_PERCENT = 75

interface Decoded {
  pcm: Pcm
  loudness: Loudness
  order: AudioOrder
  speakers: SpeakerFinder
}

/** The pieces and, if the order asks for them, the turns, at the same time. Their times are those of the media. */
const upload = async (
  { pcm, loudness, order, speakers }: Decoded,
  context: StepContext,
): Promise<Pick<UploadedAudio, 'pieces' | 'turns'>> => {
  const startSeconds = order.clip?.startSeconds ?? 0
  const uploaded: Pick<UploadedAudio, 'pieces' | 'turns'> = { pieces: [] }
  const shares: number[] = []
  /** Both works count the same. */
  const report = (index: number, share: number) => {
    shares[index] = share
    const done = shares.reduce((sum, each) => sum + each, 0) / works.length
    context.progress.set({ percent: DECODED_PERCENT + Math.floor((100 - DECODED_PERCENT) * done) })
  }
  const pieces = async (signal: AbortSignal) => {
    const found = await uploadPieces(pcm, loudness, order.pieces, { ...context, signal }, (share) => report(0, share))
    uploaded.pieces = found.map((piece) => ({ ...piece, offsetSeconds: startSeconds + piece.offsetSeconds }))
  }
  const turns = async (signal: AbortSignal) => {
    const count = order.speakers ?? { min: null, max: null }
    const onProgress = (seconds: number) => report(1, seconds / Math.max(seconds, pcm.durationSeconds))
    const found = await ifAvailable(speakers.find(pcm.path, count, { signal, onProgress }), context)
    const placed = found.map(({ start, end, speaker }) => ({
      start: milliseconds(startSeconds + start),
      end: milliseconds(startSeconds + end),
      speaker,
    }))
    uploaded.turns = await uploadTurns(placed, { ...context, signal })
  }
  const works = order.speakers ? [pieces, turns] : [pieces]
  await lanes(works.length, works, (work, signal) => work(signal), context.signal)
  return uploaded
}

/** Where the models are missing or damaged, the step is given back for another container. */
const ifAvailable = async <T>(work: Promise<T>, { log }: StepContext): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error
    // The reason names paths of this machine, so it is only logged.
    log('speakers unavailable', { reason: error.reason })
    throw new GivenBack('no models for speakers', { code: 'OPTION_UNSUPPORTED' })
  }
}
