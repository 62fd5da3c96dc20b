import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioOrder, Clip, StepLimits } from '../../domain/protocol/protocol.ts'
import { milliseconds } from '../../domain/words/segment.ts'
import { BYTES_PER_SAMPLE, type DecodedPart, decodeAudio, type Pcm, SAMPLE_RATE } from '../audio/decode.ts'
import { SourceFailure } from '../failures.ts'
import { zeroTime } from '../media/clip/cut-clip.ts'
import {
  longestOf,
  refuseLive,
  refuseLiveOrTooLong,
  refuseTooLong,
  refuseTooLongOrTruncated,
  refuseTruncated,
} from '../media/limits.ts'
import type { ProbedFile } from '../media/probe.ts'
import { toEncode } from '../media/spending.ts'
import type { Source } from '../source/source.ts'
import { clipSeconds } from './download/clip-plan.ts'
import { type DownloadedClip, downloadClip } from './download/download-clip.ts'
import { type DownloadedFile, downloadRenditions, probeDownload } from './download/download-renditions.ts'
import { audioRendition, findAudio, planAudioClip, reportAudio, soundOnly } from './download/known-audio.ts'
import { untilAgreed } from './progress.ts'
import type { StepContext } from './step.ts'

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
const DOWNLOADED_PERCENT = 60

const decodedBytes = (seconds: number | null): number => Math.ceil((seconds ?? 0) * SAMPLE_RATE * BYTES_PER_SAMPLE)

const statedSecondsOf = ({ durationSeconds }: Source, { stored }: AudioOrder): number | null =>
  durationSeconds ?? stored?.durationSeconds ?? null

/** The audio of the whole media. */
export const decodeWhole = async (source: Source, order: AudioOrder, context: StepContext): Promise<DecodedAudio> => {
  const { limits, stored } = order
  refuseLiveOrTooLong(source, limits)
  const rendition = audioRendition(source)
  const statedSeconds = statedSecondsOf(source, order)
  const known = await findAudio(rendition, statedSeconds, context)
  const { seconds, isEstimate } = known.length
  if (seconds !== null && !isEstimate) refuseTooLong(seconds, limits)
  await reportAudio(known, order, context)
  const request = {
    renditions: [rendition],
    durationSeconds: source.durationSeconds,
    maxBytes: limits.maxBytes,
    maxPercent: DOWNLOADED_PERCENT,
    isResult: false,
    isFree: stored !== undefined,
    diskBytesFor: (bytes: number) => bytes + decodedBytes(statedSeconds),
  }
  const downloads = await downloadRenditions(request, context)
  try {
    const [file] = downloads.files
    if (!file) throw new SourceFailure('NO_AUDIO')
    const { downloadedBytes } = downloads
    const sizes = { downloadedBytes, listedSeconds: source.durationSeconds }
    const decoded = await decodeFile(file, sizes, limits, context)
    refuseTooLongOrTruncated(decoded.durationSeconds, source, limits)
    return { ...decoded, downloadedBytes: stored ? 0 : downloadedBytes }
  } finally {
    await downloads.close()
  }
}

const decodeFile = async (
  file: DownloadedFile,
  { downloadedBytes, listedSeconds }: { downloadedBytes: number; listedSeconds: number | null },
  { maxDurationSeconds }: StepLimits,
  context: StepContext,
): Promise<Omit<DecodedAudio, 'downloadedBytes'>> => {
  context.progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  const probed = await probeDownload(file, context.signal)
  // Segments in one file have no length of their own.
  const isFile = file.rendition.transport.kind === 'file'
  const statedSeconds = isFile ? probed.durationSeconds : (listedSeconds ?? probed.durationSeconds)
  const request = { statedSeconds, maxSeconds: maxDurationSeconds, besideBytes: downloadedBytes }
  const pcm = await decodeAgreed(probed, request, context)
  const isAsStated = isFile && pcm.durationSeconds <= longestOf(statedSeconds)
  return { pcm, probed, durationSeconds: isAsStated ? statedSeconds : pcm.durationSeconds }
}

/** The clip from its start on, not from a keyframe. The media may be longer than the limit, if the clip is not. */
export const decodeClip = async (
  source: Source,
  clip: Clip,
  order: AudioOrder,
  context: StepContext,
): Promise<DecodedAudio> => {
  const { limits, stored } = order
  refuseLive(source)
  const rendition = audioRendition(source)
  const statedSeconds = statedSecondsOf(source, order)
  const { plan, early, known } = await planAudioClip({ source, rendition, clip, statedSeconds, limits }, context)
  await reportAudio(known, order, context)
  const request = {
    ...{ clip: early, limits, streams: soundOnly, startsWithPicture: false, maxPercent: DOWNLOADED_PERCENT },
    isFree: stored !== undefined,
    diskBytesFor: (bytes: number) => bytes + decodedBytes(known.length.seconds),
  }
  const downloads = await downloadClip(plan, request, context)
  try {
    const decoded = await decodePart(downloads, clip, limits, context)
    return { ...decoded, downloadedBytes: stored ? 0 : downloads.downloadedBytes }
  } finally {
    await downloads.close()
  }
}

const decodePart = async (
  { inputs: [input], mediaSeconds, downloadedBytes }: DownloadedClip,
  clip: Clip,
  { maxDurationSeconds }: StepLimits,
  context: StepContext,
): Promise<Omit<DecodedAudio, 'downloadedBytes'>> => {
  context.progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  if (!input) throw new SourceFailure('NO_AUDIO')
  const { probed } = input
  const seconds = clipSeconds(clip, mediaSeconds)
  const startSeconds = clip.startSeconds ?? 0
  const part = { startSeconds: startSeconds + zeroTime(input), durationSeconds: seconds }
  const skippedSeconds = startSeconds - (input.positionSeconds ?? 0)
  const statedSeconds = seconds ?? Math.max(0, probed.durationSeconds - skippedSeconds)
  const request = { statedSeconds, maxSeconds: maxDurationSeconds, part, besideBytes: downloadedBytes }
  const pcm = await decodeAgreed(probed, request, context)
  // A file was checked as a whole. Its sound may well end before its picture.
  if (seconds !== null && input.positionSeconds !== null) refuseTruncated(pcm.durationSeconds, seconds)
  const durationSeconds = seconds ?? pcm.durationSeconds
  return { pcm, probed, durationSeconds, mediaSeconds: mediaSeconds ?? startSeconds + durationSeconds }
}

interface DecodeRequest {
  /** What the file is said to last, or what is cut out of it. */
  statedSeconds: number
  maxSeconds: number
  part?: DecodedPart
  /** What the step has on its disk beside the sound. */
  besideBytes: number
}

/** A file that lasts longer than it says is decoded again, up to this many times the length. */
const GROWTH = 2

/**
 * Decodes no more than the account has agreed to pay for, and removes the file. One that lasts longer than it states is
 * decoded again, as far as the account then agrees; if that is not enough, the account ends the job.
 */
export const decodeAgreed = async (
  file: Pick<ProbedFile, 'path' | 'demuxer' | 'audio'>,
  { statedSeconds, maxSeconds, part, besideBytes }: DecodeRequest,
  context: StepContext,
): Promise<Pcm> => {
  const { progress, needDisk, signal, workDir } = context
  if (!file.audio) throw new SourceFailure('NO_AUDIO')
  const outputFile = join(workDir, 'audio.pcm')
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
    if (pcm.durationSeconds <= seconds) {
      await rm(file.path)
      return pcm
    }
    if (seconds >= maxSeconds) throw new SourceFailure('MEDIA_TOO_LONG')
    seconds = await agree(pcm.durationSeconds, Math.min(maxSeconds, GROWTH * pcm.durationSeconds))
  }
}
