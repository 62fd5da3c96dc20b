import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioOrder, StepLimits } from '../../domain/protocol/protocol.ts'
import { decodeAudio } from '../audio/decode.ts'
import { isSilent, measureLoudness } from '../audio/loudness.ts'
import { BYTES_PER_SAMPLE, type Pcm, SAMPLE_RATE } from '../audio/pcm.ts'
import { SourceFailure } from '../failures.ts'
import type { ProbedFile } from '../media/probe.ts'
import { resolve } from '../source/resolve.ts'
import type { Rendition, Source } from '../source/source.ts'
import { audioRendition, peekRendition } from './download/audio-rendition.ts'
import { type DownloadedFile, downloadRenditions, probeDownload } from './download/download-renditions.ts'
import { refuseLiveOrTooLong, refuseTooLong, refuseTooLongOrTruncated } from './download/media-limits.ts'
import type { StepContext, StepFunction } from './step.ts'
import { titleAndChapters } from './title-and-chapters.ts'
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
  refuseLiveOrTooLong(source, order.limits)
  const rendition = audioRendition(source)
  await reportDuration(source, rendition, order.limits, context)
  const { pcm, probed, durationSeconds, downloadedBytes } = await downloadAndDecode(
    source,
    rendition,
    order.limits,
    context,
  )
  const loudness = await measureLoudness(pcm)
  if (isSilent(loudness)) throw new SourceFailure('NO_SPEECH')
  progress.set({ stage: 'uploading', percent: DECODED_PERCENT })
  const pieces = await uploadPieces(pcm, loudness, order.pieces, context, (share) =>
    progress.set({ percent: DECODED_PERCENT + Math.floor((100 - DECODED_PERCENT) * share) }),
  )
  return { step: 'audio', durationSeconds, ...titleAndChapters(order, source, probed), downloadedBytes, pieces }
}

const DOWNLOADED_PERCENT = 60
const DECODED_PERCENT = 75

const reportDuration = async (
  source: Source,
  rendition: Rendition,
  limits: StepLimits,
  context: StepContext,
): Promise<void> => {
  const { progress, signal } = context
  const peeked = source.durationSeconds === null ? await peekRendition(rendition, context) : null
  const durationSeconds = source.durationSeconds ?? peeked?.durationSeconds ?? null
  const durationIsEstimate = peeked?.durationIsEstimate === true
  if (durationSeconds !== null && !durationIsEstimate) refuseTooLong(durationSeconds, limits)
  progress.set({
    durationSeconds,
    durationIsEstimate,
    totalBytes: rendition.sizeIsEstimate ? null : rendition.sizeBytes,
  })
  await progress.flush()
  signal.throwIfAborted()
}

interface DecodedAudio {
  pcm: Pcm
  probed: ProbedFile
  /** Of the media. The audio may be shorter. */
  durationSeconds: number
  downloadedBytes: number
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
  return { pcm, probed, durationSeconds: isFile ? probed.durationSeconds : pcm.durationSeconds }
}
