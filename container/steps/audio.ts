import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioOrder, Clip, StepLimits } from '../../domain/protocol/protocol.ts'
import { decodeAudio } from '../audio/decode.ts'
import { isSilent, measureLoudness } from '../audio/loudness.ts'
import { BYTES_PER_SAMPLE, type Pcm, SAMPLE_RATE } from '../audio/pcm.ts'
import { SourceFailure } from '../failures.ts'
import { zeroTime } from '../media/cut-clip.ts'
import { resolve } from '../source/resolve.ts'
import type { Rendition, Source } from '../source/source.ts'
import { audioRendition, peekRendition } from './download/audio-rendition.ts'
import { clipSeconds, planClip, ROUNDED_SECONDS } from './download/clip-plan.ts'
import { type DownloadedClip, downloadClip } from './download/download-clip.ts'
import { type DownloadedFile, downloadRenditions, probeDownload } from './download/download-renditions.ts'
import {
  refuseLive,
  refuseLiveOrTooLong,
  refuseTooLong,
  refuseTooLongOrTruncated,
  refuseTruncated,
} from './download/media-limits.ts'
import type { StepContext, StepFunction } from './step.ts'
import { uploadPieces } from './upload/upload-pieces.ts'

/**
 * From a URL to audio in storage, in pieces that a recognizer accepts:
 *
 *   resolve → report the duration → download → verify → decode once → cut at silences → upload
 *
 * The duration determines the price, so it is reported before any media is downloaded, and the Worker may stop
 * the step.
 */
export const prepareAudio: StepFunction<AudioOrder> = async (order, context) => {
  const { egress, extractor, progress, signal } = context
  const source = await resolve(order.url, egress, extractor, signal)
  const decoded = order.clip
    ? await clipAudio(source, order.clip, order.limits, context)
    : await wholeAudio(source, order.limits, context)
  const { pcm, downloadedBytes, ...durations } = decoded
  const loudness = await measureLoudness(pcm)
  if (isSilent(loudness)) throw new SourceFailure('NO_SPEECH')
  progress.set({ stage: 'uploading', percent: DECODED_PERCENT })
  const pieces = await uploadPieces(pcm, loudness, order.pieces, context, (share) =>
    progress.set({ percent: DECODED_PERCENT + Math.floor((100 - DECODED_PERCENT) * share) }),
  )
  const startSeconds = order.clip?.startSeconds ?? 0
  const placed = pieces.map((piece) => ({ ...piece, offsetSeconds: startSeconds + piece.offsetSeconds }))
  return { step: 'audio', ...durations, downloadedBytes, pieces: placed }
}

const DOWNLOADED_PERCENT = 60
const DECODED_PERCENT = 75

interface DecodedAudio {
  pcm: Pcm
  /** Of the media, or of the clip. The audio may be shorter. */
  durationSeconds: number
  /** Of the media, if this is a clip. */
  mediaSeconds?: number
  downloadedBytes: number
}

const wholeAudio = async (source: Source, limits: StepLimits, context: StepContext): Promise<DecodedAudio> => {
  refuseLiveOrTooLong(source, limits)
  const rendition = audioRendition(source)
  const durationSeconds = await knownDuration(source, rendition, context)
  if (durationSeconds !== null) refuseTooLong(durationSeconds, limits)
  await reportDuration(durationSeconds, rendition, context)
  return await downloadAndDecode(source, rendition, limits, context)
}

const knownDuration = async (
  { durationSeconds }: Source,
  rendition: Rendition,
  context: StepContext,
): Promise<number | null> => durationSeconds ?? (await peekRendition(rendition, context))?.durationSeconds ?? null

const reportDuration = async (
  durationSeconds: number | null,
  { sizeBytes, sizeIsEstimate }: Rendition,
  { progress, signal }: StepContext,
): Promise<void> => {
  progress.set({ durationSeconds, totalBytes: sizeIsEstimate ? null : sizeBytes })
  await progress.flush()
  signal.throwIfAborted()
}

const soundOnly = { includeVideo: false, includeAudio: true }

/** A little before the start, because a decoder needs it. */
const EARLY_SECONDS = 0.2

/** The clip from its start on, not from a keyframe. The media may be longer than the limit, if the clip is not. */
const clipAudio = async (
  source: Source,
  clip: Clip,
  limits: StepLimits,
  context: StepContext,
): Promise<DecodedAudio> => {
  refuseLive(source)
  const { startSeconds, endSeconds } = clip
  const early = { startSeconds: startSeconds === null ? null : Math.max(0, startSeconds - EARLY_SECONDS), endSeconds }
  const rendition = audioRendition(source)
  const plan = await planClip(
    { renditions: [rendition], durationSeconds: source.durationSeconds, streams: soundOnly },
    early,
    limits,
    context,
  )
  const knownSeconds = plan.mediaSeconds ?? (await knownDuration(source, rendition, context))
  const announced = clipSeconds(clip, knownSeconds, ROUNDED_SECONDS)
  await reportDuration(announced, plan.parts[0]?.rendition ?? rendition, context)
  const request = {
    ...{ clip: early, limits, streams: soundOnly, startsWithPicture: false, maxPercent: DOWNLOADED_PERCENT },
    diskBytesFor: (bytes: number) => bytes + decodedBytes(announced ?? 0),
  }
  const downloads = await downloadClip(plan, request, context)
  try {
    const decoded = await decodeClip(downloads, clip, limits, context)
    return { ...decoded, downloadedBytes: downloads.downloadedBytes }
  } finally {
    await downloads.close()
  }
}

const decodeClip = async (
  { inputs: [input], mediaSeconds, downloadedBytes }: DownloadedClip,
  clip: Clip,
  { maxDurationSeconds }: StepLimits,
  { progress, signal, workDir, needDisk }: StepContext,
): Promise<Omit<DecodedAudio, 'downloadedBytes'>> => {
  progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  if (!input?.probed.audio) throw new SourceFailure('NO_AUDIO')
  const seconds = clipSeconds(clip, mediaSeconds)
  needDisk(downloadedBytes + decodedBytes(seconds ?? 0))
  const startSeconds = clip.startSeconds ?? 0
  const part = { startSeconds: startSeconds + zeroTime(input), durationSeconds: seconds }
  const outputFile = join(workDir, 'audio.pcm')
  const pcm = await decodeAudio(input.probed, { outputFile, maxDurationSeconds, part, signal })
  await rm(input.probed.path)
  // A file was checked as a whole. Its sound may well end before its picture.
  if (seconds !== null && input.positionSeconds !== null) refuseTruncated(pcm.durationSeconds, seconds)
  const durationSeconds = seconds ?? pcm.durationSeconds
  return { pcm, durationSeconds, mediaSeconds: mediaSeconds ?? startSeconds + durationSeconds }
}

const downloadAndDecode = async (
  source: Source,
  rendition: Rendition,
  limits: StepLimits,
  context: StepContext,
): Promise<DecodedAudio> => {
  const request = {
    renditions: [rendition],
    durationSeconds: source.durationSeconds,
    maxBytes: limits.maxBytes,
    maxPercent: DOWNLOADED_PERCENT,
    isResult: false,
    diskBytesFor: (bytes: number) => bytes + decodedBytes(source.durationSeconds ?? 0),
  }
  const downloads = await downloadRenditions(request, context)
  const [file] = downloads.files
  try {
    if (!file) throw new SourceFailure('NO_AUDIO')
    const decoded = await decodeDownload(file, downloads.downloadedBytes, limits, context)
    refuseTooLongOrTruncated(decoded.durationSeconds, source, limits)
    return { ...decoded, downloadedBytes: downloads.downloadedBytes }
  } finally {
    await downloads.close()
  }
}

const decodedBytes = (seconds: number): number => Math.ceil(seconds * SAMPLE_RATE * BYTES_PER_SAMPLE)

const decodeDownload = async (
  file: DownloadedFile,
  downloadedBytes: number,
  { maxDurationSeconds }: StepLimits,
  context: StepContext,
) => {
  const { progress, signal, workDir, needDisk } = context
  progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  const probed = await probeDownload(file, signal)
  if (!probed.audio) throw new SourceFailure('NO_AUDIO')
  needDisk(downloadedBytes + decodedBytes(probed.durationSeconds))
  const pcm = await decodeAudio(probed, { outputFile: join(workDir, 'audio.pcm'), maxDurationSeconds, signal })
  await rm(file.spool.path)
  const isFile = file.rendition.transport.kind === 'file'
  return { pcm, durationSeconds: isFile ? probed.durationSeconds : pcm.durationSeconds }
}
