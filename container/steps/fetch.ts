import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { copiesOnDisk } from '../../domain/jobs/step-resources.ts'
import type {
  Clip,
  FetchedMedia,
  FetchOrder,
  MediaFacts,
  StepResult,
  Uploaded,
} from '../../domain/protocol/protocol.ts'
import { milliseconds } from '../../domain/words/segment.ts'
import { type FormattedAudio, inAudioFormat } from '../media/audio-format.ts'
import { chooseRenditions } from '../media/choose-quality.ts'
import { cutClip } from '../media/clip/cut-clip.ts'
import { copyStreams, matchesSelection, type OutputFile, outputFile } from '../media/copy-streams.ts'
import {
  refuseLive,
  refuseLiveOrTooLong,
  refuseTooLong,
  refuseTooLongOrTruncated,
  refuseTruncated,
} from '../media/limits.ts'
import { type Spending, toCopy } from '../media/spending.ts'
import { extractThumbnail, platformThumbnail } from '../media/thumbnail.ts'
import { resolve } from '../source/resolve.ts'
import type { Rendition, Source } from '../source/source.ts'
import { uploadComplete } from '../worker-client.ts'
import { clipSeconds, planClip } from './download/clip-plan.ts'
import { type DownloadedClip, downloadClip } from './download/download-clip.ts'
import { type DownloadedFiles, downloadRenditions, probeDownload } from './download/download-renditions.ts'
import { untilAgreed } from './progress.ts'
import type { StepContext, StepFunction } from './step.ts'

/**
 * From a URL to a file in the bucket:
 *
 *   resolve → choose renditions → download → copy the streams into one container → verify → thumbnail → upload
 *
 * For a clip, only what it needs is downloaded if the format allows it, and the copy is a cut. If the order names an
 * audio format that the file does not have, the audio is re-encoded after the copy.
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

const resolveAndFetch = async (order: FetchOrder, context: StepContext): Promise<StepResult> => {
  const { egress, extractor, signal } = context
  const source = await resolve(order.url, egress, extractor, signal)
  const { limits, selection, clip } = order
  // A clip of media that is too long may be short enough.
  if (clip) refuseLive(source)
  else refuseLiveOrTooLong(source, limits)
  const chosen = { ...source, renditions: chooseRenditions(source.renditions, selection) }
  const thumbnail = importPlatformThumbnail(source, context)
  // Its error, if any, is thrown when the thumbnail is awaited.
  thumbnail.catch(() => {})
  const use = (made: MadeOutput) => upload(source, made, thumbnail, order, context)
  return clip
    ? await withClipOutput(chosen, clip, order, context, use)
    : await withWholeOutput(chosen, order, context, use)
}

/** A file with the requested streams, and the downloads that it was made from. */
interface MadeOutput {
  output: OutputFile
  downloads: Pick<DownloadedFiles, 'files' | 'earlyUpload' | 'downloadedBytes'>
  /** A message to the caller. */
  note: string | null
  clip?: MediaFacts['clip'] & object
}

/** What is done with the output while its downloads are open. */
type Use<T> = (made: MadeOutput) => Promise<T>

/** The step's percentages when the download, and when the file, is complete. */
const DOWNLOADED_PERCENT = 90
const PROCESSED_PERCENT = 95

const withWholeOutput = async <T>(source: Source, order: FetchOrder, context: StepContext, use: Use<T>): Promise<T> => {
  const { limits } = order
  const { renditions } = source
  const isResult = isExpectedResult(renditions, order)
  const downloads = await downloadRenditions(
    {
      renditions,
      durationSeconds: source.durationSeconds,
      maxBytes: limits.maxBytes,
      maxPercent: DOWNLOADED_PERCENT,
      isResult,
      diskBytesFor: (bytes) => bytes * (isResult ? copiesOnDisk.oneFile : copiesOnDisk.copiedStreams),
    },
    context,
  )
  try {
    context.progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
    const output = await makeOutput(downloads, order, context)
    refuseTooLongOrTruncated(output.probed.durationSeconds, source, limits)
    return await use({ output, downloads, note: source.note })
  } finally {
    await downloads.close()
  }
}

/** One file, all of whose streams are requested, is most likely the result. Only its probe can confirm it. */
const isExpectedResult = (renditions: Rendition[], { selection, audioFormat = 'source' }: FetchOrder): boolean => {
  const { includeVideo, includeAudio } = selection
  const [only] = renditions
  if (audioFormat !== 'source') return false
  if (!only || renditions.length > 1 || only.transport.kind !== 'file') return false
  return (includeVideo || only.videoCodec === null) && (includeAudio || only.audioCodec === null)
}

/** The download itself if it is one file that matches the selection, else a new file with the requested streams. */
const makeOutput = async (
  { files, downloadedBytes }: MadeOutput['downloads'],
  { selection }: FetchOrder,
  { signal, workDir, needDisk, mostDiskBytes }: StepContext,
): Promise<OutputFile> => {
  const inputs = await Promise.all(files.map((file) => probeDownload(file, signal)))
  const [only] = inputs
  const isOneFile = only && inputs.length === 1 && files[0]?.rendition.transport.kind === 'file'
  if (isOneFile && matchesSelection(only, selection)) return outputFile(only)
  const spends = toCopy(downloadedBytes, mostDiskBytes)
  needDisk(downloadedBytes + spends.bytes)
  return copyStreams(inputs, selection, { workDir, spends, signal })
}

const withClipOutput = async <T>(
  source: Source,
  clip: Clip,
  order: FetchOrder,
  context: StepContext,
  use: Use<T>,
): Promise<T> => {
  const { limits, selection } = order
  const { renditions, durationSeconds } = source
  const plan = await planClip({ renditions, durationSeconds, streams: selection }, clip, limits, context)
  const request = {
    ...{ clip, limits, streams: selection, startsWithPicture: selection.includeVideo, maxPercent: DOWNLOADED_PERCENT },
    diskBytesFor: (bytes: number) => bytes * copiesOnDisk.copiedStreams,
  }
  const downloads = await downloadClip(plan, request, context)
  try {
    context.progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
    const { output, times } = await makeClip(downloads, order, clip, context)
    const { downloadedBytes, isWhole } = downloads
    const note = [source.note, isWhole ? WHOLE_DOWNLOAD : null].filter((each) => each !== null).join(' ') || null
    return await use({ output, downloads: { downloadedBytes, ...noFiles }, note, clip: times })
  } finally {
    await downloads.close()
  }
}

const WHOLE_DOWNLOAD = 'The whole file was downloaded, and the clip was cut from it.'
/** The result of a clip is never a download. */
const noFiles = { files: [], earlyUpload: null }

const makeClip = async (
  { inputs, mediaSeconds, downloadedBytes }: DownloadedClip,
  { selection, limits }: FetchOrder,
  clip: Clip,
  { workDir, signal, needDisk, mostDiskBytes }: StepContext,
): Promise<{ output: OutputFile; times: MediaFacts['clip'] & object }> => {
  const startSeconds = clip.startSeconds ?? 0
  const seconds = clipSeconds(clip, mediaSeconds)
  const endSeconds = seconds === null ? null : startSeconds + seconds
  const spends = toCopy(downloadedBytes, mostDiskBytes)
  needDisk(downloadedBytes + spends.bytes)
  const { actualStartSeconds, ...output } = await cutClip(inputs, { startSeconds, endSeconds }, selection, {
    workDir,
    spends,
    signal,
  })
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

const upload = async (
  { title }: Source,
  { output: copied, downloads, note, clip }: MadeOutput,
  platformImage: Promise<Uploaded | null>,
  order: FetchOrder,
  context: StepContext,
): Promise<FetchedMedia> => {
  const { downloadedBytes } = downloads
  const { output, transcoded } = await formatted(copied, downloads, order, context)
  context.progress.set({ stage: 'uploading', percent: PROCESSED_PERCENT })
  const [media, sha256, thumbnail] = await Promise.all([
    uploadMedia(output, downloads, context),
    hashOutput(output, downloads),
    platformImage.then((uploaded) => uploaded ?? uploadFrame(copied, context)),
  ])
  const measured = { sha256, sizeBytes: media.sizeBytes, downloadedBytes, transcoded, ...(clip && { clip }) }
  return { step: 'fetch', media, thumbnail, facts: { title, note, ...probedFacts(output), ...measured } }
}

const formatted = async (
  output: OutputFile,
  { files, downloadedBytes }: MadeOutput['downloads'],
  { audioFormat: format = 'source', selection }: FetchOrder,
  context: StepContext,
): Promise<FormattedAudio> => {
  const { workDir, signal, needDisk, progress } = context
  if (format === 'source') return { output, transcoded: false }
  const { path, sizeBytes } = output.probed
  const copiedBytes = isDownload(path, files) ? 0 : sizeBytes
  const agree = async (spends: Spending, isCopied: boolean) => {
    needDisk(downloadedBytes + copiedBytes + spends.bytes)
    if (isCopied) return
    // The price follows from what the file will weigh.
    progress.set({ neededBytes: spends.bytes })
    await untilAgreed(({ bytes }) => bytes >= spends.bytes, context)
  }
  return inAudioFormat(output.probed, { format, quality: selection.audioQuality, workDir, agree, signal })
}

const probedFacts = ({ probed, contentType }: OutputFile) => ({
  extension: probed.extension,
  contentType,
  durationSeconds: probed.durationSeconds,
  width: probed.video?.width ?? null,
  height: probed.video?.height ?? null,
  videoCodec: probed.video?.codec ?? null,
  audioCodec: probed.audio?.codec ?? null,
})

/** Runs in parallel with the download. null if the platform has no usable image: the import does not need it. */
const importPlatformThumbnail = async ({ thumbnailUrl }: Source, context: StepContext): Promise<Uploaded | null> => {
  const { egress, workDir, signal } = context
  const path = thumbnailUrl && (await platformThumbnail(thumbnailUrl, egress, workDir, signal).catch(() => null))
  return path ? uploadComplete(path, jpeg, context) : null
}

const isDownload = (path: string, files: DownloadedFiles['files']): boolean =>
  files.some(({ spool }) => spool.path === path)

const uploadMedia = async (
  output: OutputFile,
  { files, earlyUpload }: MadeOutput['downloads'],
  context: StepContext,
): Promise<Uploaded> => {
  if (earlyUpload && isDownload(output.probed.path, files) && earlyUpload.contentType === output.contentType)
    return earlyUpload.uploaded
  await earlyUpload?.cancel()
  return uploadComplete(output.probed.path, { kind: 'media', contentType: output.contentType }, context)
}

const uploadFrame = async ({ probed }: OutputFile, context: StepContext): Promise<Uploaded | null> => {
  const path = await extractThumbnail(probed, context.workDir, context.signal)
  return path === null ? null : uploadComplete(path, jpeg, context)
}

const jpeg = { kind: 'thumbnail', contentType: 'image/jpeg' } as const

/** The spool's hash if the output is a download, which was hashed while it was received. */
const hashOutput = async ({ probed: { path } }: OutputFile, { files }: MadeOutput['downloads']): Promise<string> => {
  const found = await files.find(({ spool }) => spool.path === path)?.spool.sha256()
  if (found) return found
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}
