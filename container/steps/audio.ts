import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lanes } from '../../domain/lanes.ts'
import type { AudioOrder, UploadedAudio } from '../../domain/protocol/protocol.ts'
import { milliseconds } from '../../domain/words/segment.ts'
import type { Turns } from '../../domain/words/speaker-turns.ts'
import type { Pcm, SampleRange } from '../audio/decode.ts'
import { cutAtSilences, isSilent, type Loudness, longestPiece, measureLoudness, preparePiece } from '../audio/pieces.ts'
import { SourceFailure } from '../failures.ts'
import { openSource } from '../source/resolve.ts'
import type { SpeakerFinder } from '../speech/speakers.ts'
import { uploadFile, uploadText } from '../worker-client.ts'
import { chaptersOf, titleAndChapters } from './chapters.ts'
import { decodeClip, decodeWhole } from './decode.ts'
import { ifAvailable, type StepContext, type StepFunction } from './step.ts'

/**
 * From a URL, or a file in storage, to audio in storage, in pieces that a recognizer accepts:
 *
 *   resolve → report the duration → download → verify → decode once → cut at silences → upload
 *
 * The duration determines the price, so it is reported before any media is downloaded, and the Worker may stop the step.
 */
export const prepareAudioWith =
  (speakers: SpeakerFinder): StepFunction<AudioOrder> =>
  async (order, context) => {
    if (order.speakers) await ifAvailable(speakers.check(), noSpeakers, context)
    const source = await openSource(order, context)
    const { pcm, probed, downloadedBytes, ...durations } = order.clip
      ? await decodeClip(source, order.clip, order, context)
      : await decodeWhole(source, order, context)
    const loudness = await measureLoudness(pcm)
    if (isSilent(loudness)) throw new SourceFailure('NO_SPEECH')
    context.progress.set({ stage: 'uploading', percent: DECODED_PERCENT })
    const uploaded = await upload(pcm, loudness, order, speakers, context)
    const chapters = await chaptersOf(order.linked, source, probed.durationSeconds, context)
    const about = titleAndChapters(order, { ...source, chapters }, probed)
    const ofSource = order.about ? { about: source.about } : {}
    return { step: 'audio', ...durations, ...about, ...ofSource, downloadedBytes, ...uploaded }
  }

const DECODED_PERCENT = 75

const noSpeakers = {
  event: 'speakers unavailable',
  reason: 'no models for speakers',
  code: 'OPTION_UNSUPPORTED',
} as const

/** The pieces and, if the order asks for them, the turns, at the same time. Their times are those of the media. */
const upload = async (
  pcm: Pcm,
  loudness: Loudness,
  order: AudioOrder,
  speakers: SpeakerFinder,
  context: StepContext,
): Promise<Pick<UploadedAudio, 'pieces' | 'turns'>> => {
  const startSeconds = order.clip?.startSeconds ?? 0
  const uploaded: Pick<UploadedAudio, 'pieces' | 'turns'> = { pieces: [] }
  const shares: number[] = []
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
    const found = await ifAvailable(speakers.find(pcm.path, count, { signal, onProgress }), noSpeakers, context)
    const turns = found.map(({ start, end, speaker }) => ({
      start: milliseconds(startSeconds + start),
      end: milliseconds(startSeconds + end),
      speaker,
    }))
    const text = JSON.stringify({ turns } satisfies Turns)
    uploaded.turns = await uploadText(text, { kind: 'turns', contentType: 'application/json' }, { ...context, signal })
  }
  const works = order.speakers ? [pieces, turns] : [pieces]
  await lanes(works.length, works, (work, signal) => work(signal), context.signal)
  return uploaded
}

const PIECES_AT_ONCE = 2

/** Cuts a recording for a recognizer and uploads each piece as soon as it is encoded. Silent pieces are skipped. */
const uploadPieces = async (
  pcm: Pcm,
  loudness: Loudness,
  { encoding, ...limits }: AudioOrder['pieces'],
  { workDir, worker, signal: step }: StepContext,
  onUploaded: (share: number) => void,
): Promise<UploadedAudio['pieces']> => {
  const ranges = cutAtSilences(pcm, loudness, Math.max(1, longestPiece(encoding, limits)))
  const spoken = ranges.filter((range) => !isSilent(loudness, range))
  const uploaded: UploadedAudio['pieces'] = []
  const encodeAndUpload = async ([index, range]: [number, SampleRange], signal: AbortSignal) => {
    const outputFile = join(workDir, `piece-${index}`)
    const { path, start, end, contentType, ...times } = await preparePiece(pcm, range, { encoding, outputFile, signal })
    const sizeBytes = end - start
    const file = { path, startsAt: start, prefixBytes: sizeBytes, reached: async () => {} }
    const upload = await uploadFile(file, { kind: 'audio', index, contentType, sizeBytes }, { worker, signal })
    uploaded[index] = { upload, ...times }
    await rm(outputFile, { force: true })
    onUploaded(uploaded.filter(Boolean).length / spoken.length)
  }
  await lanes(PIECES_AT_ONCE, spoken.entries(), encodeAndUpload, step)
  return uploaded
}
