import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioOrder, StepLimits } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import { longestOf } from '../../media/stated-length.ts'
import type { Source } from '../../source/source.ts'
import { audioRendition, findAudio, reportAudio } from '../download/audio-rendition.ts'
import { type DownloadedFile, downloadRenditions, probeDownload } from '../download/download-renditions.ts'
import { refuseLiveOrTooLong, refuseTooLong, refuseTooLongOrTruncated } from '../download/media-limits.ts'
import type { StepContext } from '../step.ts'
import { decodeAgreed } from './decode-agreed.ts'
import { type DecodedAudio, DOWNLOADED_PERCENT, decodedBytes } from './decoded-audio.ts'

/** The audio of the whole media. */
export const decodeWhole = async (source: Source, order: AudioOrder, context: StepContext): Promise<DecodedAudio> => {
  const { limits, stored } = order
  refuseLiveOrTooLong(source, limits)
  const rendition = audioRendition(source)
  const statedSeconds = source.durationSeconds ?? stored?.durationSeconds ?? null
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
    diskBytesFor: (bytes: number) => bytes + decodedBytes(statedSeconds ?? 0),
  }
  const downloads = await downloadRenditions(request, context)
  const [file] = downloads.files
  try {
    if (!file) throw new SourceFailure('NO_AUDIO')
    const { downloadedBytes } = downloads
    const decoded = await decodeDownload(
      file,
      { downloadedBytes, listedSeconds: source.durationSeconds },
      limits,
      context,
    )
    refuseTooLongOrTruncated(decoded.durationSeconds, source, limits)
    return { ...decoded, downloadedBytes: stored ? 0 : downloads.downloadedBytes }
  } finally {
    await downloads.close()
  }
}

const decodeDownload = async (
  file: DownloadedFile,
  { downloadedBytes, listedSeconds }: { downloadedBytes: number; listedSeconds: number | null },
  { maxDurationSeconds }: StepLimits,
  context: StepContext,
): Promise<Omit<DecodedAudio, 'downloadedBytes'>> => {
  const { progress, signal, workDir } = context
  progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  const probed = await probeDownload(file, signal)
  if (!probed.audio) throw new SourceFailure('NO_AUDIO')
  // Segments in one file have no length of their own.
  const isFile = file.rendition.transport.kind === 'file'
  const statedSeconds = isFile ? probed.durationSeconds : (listedSeconds ?? probed.durationSeconds)
  const request = { statedSeconds, maxSeconds: maxDurationSeconds, besideBytes: downloadedBytes }
  const pcm = await decodeAgreed(probed, { outputFile: join(workDir, 'audio.pcm'), ...request }, context)
  await rm(file.spool.path)
  const isAsStated = isFile && pcm.durationSeconds <= longestOf(statedSeconds)
  return { pcm, probed, durationSeconds: isAsStated ? statedSeconds : pcm.durationSeconds }
}
