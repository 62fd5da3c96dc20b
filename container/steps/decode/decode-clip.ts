import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioOrder, Clip, StepLimits } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import { zeroTime } from '../../media/clip/cut-clip.ts'
import type { Source } from '../../source/source.ts'
import { planAudioClip, soundOnly } from '../download/audio-clip.ts'
import { audioRendition, reportAudio } from '../download/audio-rendition.ts'
import { clipSeconds } from '../download/clip-plan.ts'
import { type DownloadedClip, downloadClip } from '../download/download-clip.ts'
import { refuseLive, refuseTruncated } from '../download/media-limits.ts'
import type { StepContext } from '../step.ts'
import { decodeAgreed } from './decode-agreed.ts'
import { type DecodedAudio, DOWNLOADED_PERCENT, decodedBytes } from './decoded-audio.ts'

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
  const statedSeconds = source.durationSeconds ?? stored?.durationSeconds ?? null
  const { plan, early, known } = await planAudioClip({ source, rendition, clip, statedSeconds, limits }, context)
  await reportAudio(known, order, context)
  const request = {
    ...{ clip: early, limits, streams: soundOnly, startsWithPicture: false, maxPercent: DOWNLOADED_PERCENT },
    isFree: stored !== undefined,
    diskBytesFor: (bytes: number) => bytes + decodedBytes(known.length.seconds ?? 0),
  }
  const downloads = await downloadClip(plan, request, context)
  try {
    const decoded = await decodeDownload(downloads, clip, limits, context)
    return { ...decoded, downloadedBytes: stored ? 0 : downloads.downloadedBytes }
  } finally {
    await downloads.close()
  }
}

const decodeDownload = async (
  { inputs: [input], mediaSeconds, downloadedBytes }: DownloadedClip,
  clip: Clip,
  { maxDurationSeconds }: StepLimits,
  context: StepContext,
): Promise<Omit<DecodedAudio, 'downloadedBytes'>> => {
  const { progress, workDir } = context
  progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  if (!input?.probed.audio) throw new SourceFailure('NO_AUDIO')
  const { probed } = input
  const seconds = clipSeconds(clip, mediaSeconds)
  const startSeconds = clip.startSeconds ?? 0
  const part = { startSeconds: startSeconds + zeroTime(input), durationSeconds: seconds }
  const outputFile = join(workDir, 'audio.pcm')
  const skippedSeconds = startSeconds - (input.positionSeconds ?? 0)
  const statedSeconds = seconds ?? Math.max(0, probed.durationSeconds - skippedSeconds)
  const request = { statedSeconds, maxSeconds: maxDurationSeconds, part, besideBytes: downloadedBytes }
  const pcm = await decodeAgreed(probed, { outputFile, ...request }, context)
  await rm(probed.path)
  // A file was checked as a whole. Its sound may well end before its picture.
  if (seconds !== null && input.positionSeconds !== null) refuseTruncated(pcm.durationSeconds, seconds)
  const durationSeconds = seconds ?? pcm.durationSeconds
  return { pcm, probed, durationSeconds, mediaSeconds: mediaSeconds ?? startSeconds + durationSeconds }
}
