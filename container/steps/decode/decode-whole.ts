import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioOrder, StepLimits } from '../../../domain/protocol/protocol.ts'
import { decodeAudio } from '../../audio/decode.ts'
import { SourceFailure } from '../../failures.ts'
import type { Source } from '../../source/source.ts'
import { audioRendition } from '../download/audio-rendition.ts'
import { type DownloadedFile, downloadRenditions, probeDownload } from '../download/download-renditions.ts'
import { refuseLiveOrTooLong, refuseTooLong, refuseTooLongOrTruncated } from '../download/media-limits.ts'
import type { StepContext } from '../step.ts'
import { type DecodedAudio, DOWNLOADED_PERCENT, decodedBytes } from './decoded-audio.ts'
import { knownLength, reportLength } from './length.ts'

/** The audio of the whole media. */
export const decodeWhole = async (source: Source, order: AudioOrder, context: StepContext): Promise<DecodedAudio> => {
  const { limits, stored } = order
  refuseLiveOrTooLong(source, limits)
  const rendition = audioRendition(source)
  const length = await knownLength(source, rendition, order, context)
  if (length.seconds !== null && !length.isEstimate) refuseTooLong(length.seconds, limits)
  await reportLength(length, rendition, order, context)
  const expectedSeconds = source.durationSeconds ?? stored?.durationSeconds ?? 0
  const request = {
    renditions: [rendition],
    durationSeconds: source.durationSeconds,
    maxBytes: limits.maxBytes,
    maxPercent: DOWNLOADED_PERCENT,
    isResult: false,
    isFree: stored !== undefined,
    diskBytesFor: (bytes: number) => bytes + decodedBytes(expectedSeconds),
  }
  const downloads = await downloadRenditions(request, context)
  const [file] = downloads.files
  try {
    if (!file) throw new SourceFailure('NO_AUDIO')
    const decoded = await decodeDownload(file, downloads.downloadedBytes, limits, context)
    refuseTooLongOrTruncated(decoded.durationSeconds, source, limits)
    return { ...decoded, downloadedBytes: stored ? 0 : downloads.downloadedBytes }
  } finally {
    await downloads.close()
  }
}

const decodeDownload = async (
  file: DownloadedFile,
  downloadedBytes: number,
  { maxDurationSeconds }: StepLimits,
  { progress, signal, workDir, needDisk }: StepContext,
): Promise<Omit<DecodedAudio, 'downloadedBytes'>> => {
  progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  const probed = await probeDownload(file, signal)
  if (!probed.audio) throw new SourceFailure('NO_AUDIO')
  needDisk(downloadedBytes + decodedBytes(probed.durationSeconds))
  const pcm = await decodeAudio(probed, { outputFile: join(workDir, 'audio.pcm'), maxDurationSeconds, signal })
  await rm(file.spool.path)
  const isFile = file.rendition.transport.kind === 'file'
  return { pcm, probed, durationSeconds: isFile ? probed.durationSeconds : pcm.durationSeconds }
}
