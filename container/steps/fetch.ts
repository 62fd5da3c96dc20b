import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { copiesOnDisk } from '../../domain/jobs/step-resources.ts'
import type {
  Clip,
  FetchedMedia,
  FetchOrder,
  MediaFacts,
  Selection,
  StepResult,
  Uploaded,
} from '../../domain/protocol/protocol.ts'
import { milliseconds } from '../../domain/words/segment.ts'
import { type FormattedAudio, inAudioFormat, largestBytes } from '../media/audio-format.ts'
import { chooseRenditions } from '../media/choose-quality.ts'
import { copyStreams, matchesSelection, type OutputFile, outputFile } from '../media/copy-streams.ts'
import { cutClip } from '../media/cut-clip.ts'
import { extractThumbnail, platformThumbnail } from '../media/thumbnail.ts'
import { resolve } from '../source/resolve.ts'
import type { Rendition, Source } from '../source/source.ts'
import { clipSeconds, planClip } from './download/clip-plan.ts'
import { type DownloadedClip, downloadClip } from './download/download-clip.ts'
import { type DownloadedFiles, downloadRenditions, probeDownload } from './download/download-renditions.ts'
import {
  refuseLive,
  refuseLiveOrTooLong,
  refuseTooLong,
  refuseTooLongOrTruncated,
  refuseTruncated,
} from './download/media-limits.ts'
import type { StepContext, StepFunction } from './step.ts'
import { completeFile, uploadFile } from './upload/upload-file.ts'

/**
 * From a URL to a file in the bucket:
 *
 *   resolve → choose renditions → download → copy the streams into one container → verify → thumbnail → upload
 *
 * Of a clip, only what it needs is downloaded if the format allows it, and the copy is a cut. Audio is re-encoded after the
 * copy, if the order names a format that it does not have.
 *
 * A download that is expected to be the result is hashed and uploaded while it is received. If its probe shows
 * that streams must be removed, or that its content type differs, that upload is canceled and restarted.
 */
export const fetchMedia: StepFunction<FetchOrder> = async (order, outer) => {
  const ended = new AbortController()
  const context = { ...outer, signal: AbortSignal.any([outer.signal, ended.signal]) }
  try {
    return await resolveAndFetch(order, context)
  } finally {
    // After a failure the upload, the thumbnail request and reads of the spool may still be running.
    ended.abort(new Error('the step has ended'))
  }
}

const DOWNLOADED_PERCENT = 90
const PROCESSED_PERCENT = 95

const resolveAndFetch = async (order: FetchOrder, context: StepContext): Promise<StepResult> => {
  const { egress, extractor, signal } = context
  const source = await resolve(order.url, egress, extractor, signal)
  if (order.clip) return await fetchClip(source, order, order.clip, context)
  refuseLiveOrTooLong(source, order.limits)
  const renditions = chooseRenditions(source.renditions, order.selection)
  const thumbnail = importPlatformThumbnail(source, context)
  // Its error, if any, is thrown when the thumbnail is awaited.
  thumbnail.catch(() => {})
  const isResult = isExpectedResult(renditions, order)
  const downloads = await downloadRenditions(
    {
      renditions,
      durationSeconds: source.durationSeconds,
      maxBytes: order.limits.maxBytes,
      maxPercent: DOWNLOADED_PERCENT,
      isResult,
      diskBytesFor: (bytes) => bytes * (isResult ? copiesOnDisk.oneFile : copiesOnDisk.copiedStreams),
    },
    context,
  )
  try {
    context.progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
    const output = await makeOutput(downloads, order.selection, context)
    refuseTooLongOrTruncated(output.probed.durationSeconds, source, order.limits)
    return await upload(source, output, downloads, thumbnail, context, order)
  } finally {
    await downloads.close()
  }
}

/** The media may be longer than the limit, if the clip is not. */
const fetchClip = async (source: Source, order: FetchOrder, clip: Clip, context: StepContext): Promise<StepResult> => {
  const { limits, selection } = order
  refuseLive(source)
  const renditions = chooseRenditions(source.renditions, selection)
  const { durationSeconds } = source
  const plan = await planClip({ renditions, durationSeconds, streams: selection }, clip, limits, context)
  const thumbnail = importPlatformThumbnail(source, context)
  // Its error, if any, is thrown when the thumbnail is awaited.
  thumbnail.catch(() => {})
  const request = {
    ...{ clip, limits, streams: selection, startsWithPicture: selection.includeVideo, maxPercent: DOWNLOADED_PERCENT },
    diskBytesFor: (bytes: number) => bytes * copiesOnDisk.copiedStreams,
  }
  const downloads = await downloadClip(plan, request, context)
  try {
    context.progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
    const { output, times } = await makeClip(downloads, order, clip, context)
    const isWhole = downloads.isWhole
    const note = [source.note, isWhole ? WHOLE_DOWNLOAD : null].filter((each) => each !== null).join(' ') || null
    const { facts, ...result } = await upload(
      { ...source, note },
      output,
      { ...downloads, ...noFiles },
      thumbnail,
      context,
      order,
    )
    return { ...result, facts: { ...facts, clip: times } }
  } finally {
    await downloads.close()
  }
}

const WHOLE_DOWNLOAD = 'The whole file was downloaded, and the clip was cut from it.'
/** The result of a clip is never a download. */
const noFiles = { files: [], earlyUpload: null }

const makeClip = async (
  { inputs, mediaSeconds }: DownloadedClip,
  { selection, limits }: FetchOrder,
  clip: Clip,
  { workDir, signal }: StepContext,
): Promise<{ output: OutputFile; times: MediaFacts['clip'] & object }> => {
  const startSeconds = clip.startSeconds ?? 0
  const seconds = clipSeconds(clip, mediaSeconds)
  const endSeconds = seconds === null ? null : startSeconds + seconds
  const { actualStartSeconds, ...output } = await cutClip(
    inputs,
    { startSeconds, endSeconds },
    selection,
    workDir,
    signal,
  )
  const cutEnd = actualStartSeconds + output.probed.durationSeconds
  refuseTooLong(output.probed.durationSeconds, limits)
  // A file was checked as a whole. Its sound may well end before its picture.
  const isOfSegments = inputs.some(({ positionSeconds }) => positionSeconds !== null)
  if (endSeconds !== null && isOfSegments)
    refuseTruncated(output.probed.durationSeconds, endSeconds - actualStartSeconds)
  // Where a clip ends with the media, manifests may announce a little more.
  const end =
    endSeconds !== null && clip.endSeconds === endSeconds ? endSeconds : Math.min(endSeconds ?? cutEnd, cutEnd)
  return { output, times: { startSeconds, endSeconds: milliseconds(end), actualStartSeconds } }
}

/** One file, all of whose streams are requested, is most likely the result. Only its probe can confirm it. */
const isExpectedResult = (renditions: Rendition[], { selection, audioFormat = 'source' }: FetchOrder): boolean => {
  const { includeVideo, includeAudio } = selection
  const [only] = renditions
  if (audioFormat !== 'source') return false
  if (!only || renditions.length > 1 || only.transport.kind !== 'file') return false
  return (includeVideo || only.videoCodec === null) && (includeAudio || only.audioCodec === null)
}

/** Runs in parallel with the download. null if the platform has no usable image: the import does not need it. */
const importPlatformThumbnail = async ({ thumbnailUrl }: Source, context: StepContext): Promise<Uploaded | null> => {
  const { egress, workDir, signal } = context
  const path = thumbnailUrl && (await platformThumbnail(thumbnailUrl, egress, workDir, signal).catch(() => null))
  return path ? uploadComplete('thumbnail', path, 'image/jpeg', context) : null
}

const upload = async (
  source: Pick<Source, 'title' | 'note'>,
  copied: OutputFile,
  downloads: Pick<DownloadedFiles, 'files' | 'earlyUpload' | 'downloadedBytes'>,
  platformImage: Promise<Uploaded | null>,
  context: StepContext,
  order: FetchOrder,
): Promise<FetchedMedia> => {
  const { output, transcoded } = await formatted(copied, downloads, order, context)
  context.progress.set({ stage: 'uploading', percent: PROCESSED_PERCENT })
  const [media, sha256, thumbnail] = await Promise.all([
    uploadMedia(output, downloads, context),
    hashOutput(output, downloads),
    platformImage.then((uploaded) => uploaded ?? uploadFrame(copied, context)),
  ])
  const { downloadedBytes } = downloads
  const measured = { sha256, sizeBytes: media.sizeBytes, downloadedBytes, transcoded }
  return { step: 'fetch', media, thumbnail, facts: { ...factsOf(source, output), ...measured } }
}

/** The download itself if it is one file that matches the selection, else a new file with the requested streams. */
const makeOutput = async (
  { files, downloadedBytes }: DownloadedFiles,
  selection: Selection,
  { signal, workDir, needDisk }: StepContext,
): Promise<OutputFile> => {
  const inputs = await Promise.all(files.map((file) => probeDownload(file, signal)))
  const [only] = inputs
  const isOneFile = only && inputs.length === 1 && files[0]?.rendition.transport.kind === 'file'
  if (isOneFile && matchesSelection(only, selection)) return outputFile(only)
  needDisk(copiesOnDisk.copiedStreams * downloadedBytes)
  return copyStreams(inputs, selection, workDir, signal)
}

const formatted = async (
  output: OutputFile,
  { downloadedBytes }: Pick<DownloadedFiles, 'downloadedBytes'>,
  { audioFormat: format = 'source', selection }: FetchOrder,
  { workDir, signal, needDisk }: StepContext,
): Promise<FormattedAudio> => {
  if (format === 'source') return { output, transcoded: false }
  const { probed } = output
  needDisk(copiesOnDisk.copiedStreams * downloadedBytes + largestBytes(format, probed.durationSeconds))
  return inAudioFormat(probed, { format, quality: selection.audioQuality, workDir, signal })
}

const uploadMedia = async (
  output: OutputFile,
  { files, earlyUpload }: Pick<DownloadedFiles, 'files' | 'earlyUpload'>,
  context: StepContext,
): Promise<Uploaded> => {
  const isDownload = files[0]?.spool.path === output.probed.path
  if (earlyUpload && isDownload && earlyUpload.contentType === output.contentType) return earlyUpload.uploaded
  await earlyUpload?.cancel()
  return uploadComplete('media', output.probed.path, output.contentType, context)
}

const uploadFrame = async ({ probed }: OutputFile, context: StepContext): Promise<Uploaded | null> => {
  const path = await extractThumbnail(probed, context.workDir, context.signal)
  return path === null ? null : uploadComplete('thumbnail', path, 'image/jpeg', context)
}

const uploadComplete = async (
  kind: 'media' | 'thumbnail',
  path: string,
  contentType: string,
  { worker, signal }: StepContext,
): Promise<Uploaded> => {
  const file = await completeFile(path)
  return uploadFile(file, { kind, contentType, sizeBytes: file.prefixBytes }, worker, signal)
}

/** The spool's hash if the output is a download, which was hashed while it was received. */
const hashOutput = async ({ probed }: OutputFile, { files }: Pick<DownloadedFiles, 'files'>): Promise<string> => {
  const spool = files.find((file) => file.spool.path === probed.path)?.spool
  return (await spool?.sha256()) ?? hashFile(probed.path)
}

const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}

type ProbedFacts = Omit<MediaFacts, 'sha256' | 'downloadedBytes' | 'sizeBytes' | 'transcoded'>

const factsOf = (
  { title, note }: Pick<Source, 'title' | 'note'>,
  { probed, contentType }: OutputFile,
): ProbedFacts => ({
  title,
  extension: probed.extension,
  contentType,
  durationSeconds: probed.durationSeconds,
  width: probed.video?.width ?? null,
  height: probed.video?.height ?? null,
  videoCodec: probed.video?.codec ?? null,
  audioCodec: probed.audio?.codec ?? null,
  note,
})
