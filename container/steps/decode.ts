import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioOrder, Clip } from '../../domain/protocol/protocol.ts'
import { milliseconds } from '../../domain/words/segment.ts'
import { BYTES_PER_SAMPLE, type DecodedPart, decodeAudio, type Pcm, SAMPLE_RATE } from '../audio/decode.ts'
import { SourceFailure } from '../failures.ts'
import { zeroTime } from '../media/clip/cut-clip.ts'
import type { MediaFile } from '../media/ffmpeg.ts'
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
import { downloadClip } from './download/download-clip.ts'
import { downloadRenditions, probeDownload } from './download/download-renditions.ts'
import { audioRendition, findAudio, planAudioClip, reportAudio, soundOnly } from './download/known-audio.ts'
import { untilAgreed } from './progress.ts'
import type { StepContext } from './step.ts'

export interface DecodedAudio {
  pcm: Pcm
  probed: ProbedFile
  /** How long the media or the clip is. The audio may be shorter. */
  durationSeconds: number
  mediaSeconds?: number
  /** From the source. A file in our own storage is no download. */
  downloadedBytes: number
}

const DOWNLOADED_PERCENT = 60

const decodedBytes = (seconds: number | null): number => Math.ceil((seconds ?? 0) * SAMPLE_RATE * BYTES_PER_SAMPLE)

const statedSecondsOf = ({ durationSeconds }: Source, { stored }: AudioOrder): number | null =>
  durationSeconds ?? stored?.durationSeconds ?? null

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
  const { files, downloadedBytes } = await downloadRenditions(request, context)
  context.progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  const [file] = files
  const probed = file && (await probeDownload(file, context.signal))
  if (!probed?.audio) throw new SourceFailure('NO_AUDIO')
  // A file of joined segments does not state how long it is.
  const isFile = rendition.transport.kind === 'file'
  const said = isFile ? probed.durationSeconds : (source.durationSeconds ?? probed.durationSeconds)
  const sizes = { statedSeconds: said, maxSeconds: limits.maxDurationSeconds, besideBytes: downloadedBytes }
  const pcm = await decodeAgreed(probed, sizes, context)
  const durationSeconds = isFile && pcm.durationSeconds <= longestOf(said) ? said : pcm.durationSeconds
  refuseTooLongOrTruncated(durationSeconds, source, limits)
  return { pcm, probed, durationSeconds, downloadedBytes: stored ? 0 : downloadedBytes }
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
  const { inputs, mediaSeconds, downloadedBytes } = await downloadClip(plan, request, context)
  const [input] = inputs
  context.progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  if (!input?.probed.audio) throw new SourceFailure('NO_AUDIO')
  const { probed } = input
  const seconds = clipSeconds(clip, mediaSeconds)
  const startSeconds = clip.startSeconds ?? 0
  const part = { startSeconds: startSeconds + zeroTime(input), durationSeconds: seconds }
  const skippedSeconds = startSeconds - (input.positionSeconds ?? 0)
  const said = seconds ?? Math.max(0, probed.durationSeconds - skippedSeconds)
  const sizes = { statedSeconds: said, maxSeconds: limits.maxDurationSeconds, part, besideBytes: downloadedBytes }
  const pcm = await decodeAgreed(probed, sizes, context)
  // A file was checked as a whole. Its sound may well end before its picture.
  if (seconds !== null && input.positionSeconds !== null) refuseTruncated(pcm.durationSeconds, seconds)
  const durationSeconds = seconds ?? pcm.durationSeconds
  const lengths = { durationSeconds, mediaSeconds: mediaSeconds ?? startSeconds + durationSeconds }
  return { pcm, probed, ...lengths, downloadedBytes: stored ? 0 : downloadedBytes }
}

interface DecodeRequest {
  /** The stated length of the file, or of the part that is cut out of it. */
  statedSeconds: number
  maxSeconds: number
  part?: DecodedPart
  besideBytes: number
}

/** A file that lasts longer than it states is decoded again, up to this many times the length. */
const GROWTH = 2

/**
 * Decodes no more than the account has agreed to pay for, and removes the file. One that lasts longer than it states is
 * decoded again, as far as the account then agrees; if that is not enough, the account ends the job.
 */
export const decodeAgreed = async (
  file: MediaFile,
  { statedSeconds, maxSeconds, part, besideBytes }: DecodeRequest,
  context: StepContext,
): Promise<Pcm> => {
  const { progress, needDisk, signal, workDir } = context
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
