import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { copiesOnDisk } from '../../domain/jobs/step-resources.ts'
import type { Chapter, Clip, FetchedMedia, FetchOrder, MediaFacts, Uploaded } from '../../domain/protocol/protocol.ts'
import { milliseconds } from '../../domain/words/segment.ts'
import { linkedTracks } from '../captions/tracks.ts'
import { inAudioFormat } from '../media/audio-format.ts'
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
import { inReader } from '../sandbox/reader.ts'
import { resolve } from '../source/resolve.ts'
import type { Rendition, Source } from '../source/source.ts'
import { uploadComplete } from '../worker-client.ts'
import { startCaptions } from './caption-files.ts'
import { chaptersOf, titleAndChapters } from './chapters.ts'
import { clipSeconds, planClip } from './download/clip-plan.ts'
import { downloadClip } from './download/download-clip.ts'
import {
  type DownloadedFiles,
  downloadRenditions,
  type MediaOnDisk,
  probeDownload,
} from './download/download-renditions.ts'
import { untilAgreed } from './progress.ts'
import { type StepContext, type StepFunction, untilItEnds } from './step.ts'

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
export const fetchMedia: StepFunction<FetchOrder> = (order, context) =>
  untilItEnds(context, (running) => fetchAll(order, context, running))

const fetchAll = async (order: FetchOrder, context: StepContext, running: StepContext): Promise<FetchedMedia> => {
  const source = await resolve(order.url, context)
  const { limits, selection, clip } = order
  // A clip of media that is too long may be short enough.
  if (clip) refuseLive(source)
  else refuseLiveOrTooLong(source, limits)
  const chosen = { ...source, renditions: chooseRenditions(source.renditions, selection) }
  const thumbnail = importPlatformThumbnail(source, context)
  // Its error, if any, is thrown when the thumbnail is awaited.
  thumbnail.catch(() => {})
  const { captions: wanted } = order
  const captionFiles = wanted && startCaptions(wanted, linkedTracks(order.linked), source, running)
  const made = clip ? await makeClip(chosen, clip, order, context) : await makeWhole(chosen, order, context)
  const { output, transcoded } = await formatted(made, order, context)
  context.progress.set({ stage: 'uploading', percent: PROCESSED_PERCENT })
  const { note, downloadedBytes, whole } = made
  const { durationSeconds } = output.probed
  const [media, sha256, frame, captions, beside] = await Promise.all([
    uploadMedia(output, made, context),
    hashOutput(output, made),
    thumbnail.then((uploaded) => uploaded ?? uploadFrame(made.output, context)),
    captionFiles?.finish(whole, {
      durationSeconds,
      ofClip: made.times && movedTo(made.times, durationSeconds, context),
    }),
    order.about ? aboutMedia(source, made, order, context) : {},
  ])
  const measured = {
    sha256,
    sizeBytes: media.sizeBytes,
    downloadedBytes,
    transcoded,
    ...(clip && { clip: made.times }),
  }
  const facts = { title: source.title, note, ...probedFacts(output), ...measured }
  return { step: 'fetch', media, thumbnail: frame, facts, ...(captions && { captions }), ...beside }
}

/** The file of a clip begins at 0. */
const movedTo =
  ({ actualStartSeconds: startSeconds }: NonNullable<MadeOutput['times']>, seconds: number, { signal }: StepContext) =>
  (body: Uint8Array) =>
    read('movedToClip', [body, { startSeconds, endSeconds: startSeconds + seconds }], signal)

const read = inReader<typeof import('../captions/read.ts')>(new URL('../captions/read.ts', import.meta.url))

/** What the source says of its media, with the chapters in the times of the file that is stored. */
const aboutMedia = async (source: Source, made: MadeOutput, order: FetchOrder, context: StepContext) => {
  const { clip, linked } = order
  const { times, output } = made
  const found = await chaptersOf(linked, source, source.durationSeconds ?? output.probed.durationSeconds, context)
  const { chapters } = titleAndChapters({ clip }, { ...source, chapters: found }, made.whole?.file ?? null)
  return { about: source.about, chapters: times ? inClip(chapters, times.actualStartSeconds, output) : chapters }
}

const inClip = (chapters: Chapter[], startSeconds: number, { probed: { durationSeconds } }: OutputFile): Chapter[] =>
  chapters.map(({ title, ...chapter }) => ({
    title,
    startSeconds: milliseconds(Math.max(0, chapter.startSeconds - startSeconds)),
    endSeconds: milliseconds(Math.min(durationSeconds, chapter.endSeconds - startSeconds)),
  }))

/** A file with the requested streams, and the downloads, if it may be one of them. */
interface MadeOutput extends Partial<DownloadedFiles> {
  downloadedBytes: number
  output: OutputFile
  note: string | null
  times?: MediaFacts['clip'] & object
  /** The one file of the source, if all of it was downloaded. */
  whole: MediaOnDisk | null
}

const DOWNLOADED_PERCENT = 90
const PROCESSED_PERCENT = 95

const makeWhole = async (source: Source, order: FetchOrder, context: StepContext): Promise<MadeOutput> => {
  const { limits, selection } = order
  const { renditions, durationSeconds, note } = source
  const { signal, progress } = context
  const isResult = isExpectedResult(renditions, order)
  const request = {
    renditions,
    durationSeconds,
    maxBytes: limits.maxBytes,
    maxPercent: DOWNLOADED_PERCENT,
    isResult,
    diskBytesFor: (bytes: number) => bytes * (isResult ? copiesOnDisk.oneFile : copiesOnDisk.copiedStreams),
  }
  const downloads = await downloadRenditions(request, context)
  progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  const { files, downloadedBytes } = downloads
  const inputs = await Promise.all(files.map((file) => probeDownload(file, signal)))
  const [only] = inputs
  const isOneFile = only && inputs.length === 1 && files[0]?.rendition.transport.kind === 'file'
  const isKept = isOneFile && matchesSelection(only, selection)
  const output = isKept ? outputFile(only) : await copyStreams(inputs, selection, copyOptions(downloadedBytes, context))
  refuseTooLongOrTruncated(output.probed.durationSeconds, source, limits)
  const whole = isOneFile && files[0] ? { rendition: files[0].rendition, file: only } : null
  return { output, note, whole, ...downloads }
}

/** One file, all of whose streams are requested, is most likely the result. Only its probe can confirm it. */
const isExpectedResult = (renditions: Rendition[], { selection, audioFormat = 'source' }: FetchOrder): boolean => {
  const { includeVideo, includeAudio } = selection
  const [only] = renditions
  if (audioFormat !== 'source') return false
  if (!only || renditions.length > 1 || only.transport.kind !== 'file') return false
  return (includeVideo || only.videoCodec === null) && (includeAudio || only.audioCodec === null)
}

const copyOptions = (downloadedBytes: number, { workDir, signal, needDisk, mostDiskBytes }: StepContext) => {
  const spends = toCopy(downloadedBytes, mostDiskBytes)
  needDisk(downloadedBytes + spends.bytes)
  return { workDir, spends, signal }
}

const WHOLE_DOWNLOAD = 'The whole file was downloaded, and the clip was cut from it.'

const makeClip = async (source: Source, clip: Clip, order: FetchOrder, context: StepContext): Promise<MadeOutput> => {
  const { limits, selection } = order
  const { renditions, durationSeconds } = source
  const plan = await planClip({ renditions, durationSeconds, streams: selection }, clip, limits, context)
  const request = {
    ...{ clip, limits, streams: selection, startsWithPicture: selection.includeVideo, maxPercent: DOWNLOADED_PERCENT },
    diskBytesFor: (bytes: number) => bytes * copiesOnDisk.copiedStreams,
  }
  const { inputs, mediaSeconds, downloadedBytes, isWhole, whole } = await downloadClip(plan, request, context)
  context.progress.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  const startSeconds = clip.startSeconds ?? 0
  const seconds = clipSeconds(clip, mediaSeconds)
  const endSeconds = seconds === null ? null : startSeconds + seconds
  const times = { startSeconds, endSeconds }
  const options = copyOptions(downloadedBytes, context)
  const { actualStartSeconds, ...output } = await cutClip(inputs, times, selection, options)
  const cutSeconds = output.probed.durationSeconds
  refuseTooLong(cutSeconds, limits)
  // A file was checked as a whole. Its sound may well end before its picture.
  const isOfSegments = inputs.some(({ positionSeconds }) => positionSeconds !== null)
  if (endSeconds !== null && isOfSegments) refuseTruncated(cutSeconds, endSeconds - actualStartSeconds)
  // Where a clip ends with the media, manifests may announce a little more.
  const cutEnd = actualStartSeconds + cutSeconds
  const stated = endSeconds ?? cutEnd
  const end = clip.endSeconds === endSeconds ? stated : Math.min(stated, cutEnd)
  const note = [source.note, isWhole ? WHOLE_DOWNLOAD : null].filter((each) => each !== null).join(' ') || null
  const cut = { startSeconds, endSeconds: milliseconds(end), actualStartSeconds }
  return { output, note, downloadedBytes, times: cut, whole }
}

/** The download that was kept as the file, if one was. */
const downloadOf = ({ probed }: OutputFile, { files = [] }: MadeOutput) =>
  files.find(({ spool }) => spool.path === probed.path)

const formatted = async (
  made: MadeOutput,
  { audioFormat: format = 'source', selection }: FetchOrder,
  context: StepContext,
) => {
  const { output, downloadedBytes } = made
  const { workDir, signal, needDisk, progress } = context
  if (format === 'source') return { output, transcoded: false }
  const copiedBytes = downloadOf(output, made) ? 0 : output.probed.sizeBytes
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
  const path = thumbnailUrl && (await platformThumbnail(thumbnailUrl, context).catch(() => null))
  return path ? uploadComplete(path, jpeg, context) : null
}

const uploadFrame = async ({ probed }: OutputFile, context: StepContext): Promise<Uploaded | null> => {
  const path = await extractThumbnail(probed, context.workDir, context.signal)
  return path === null ? null : uploadComplete(path, jpeg, context)
}

const jpeg = { kind: 'thumbnail', contentType: 'image/jpeg' } as const

const uploadMedia = async (output: OutputFile, made: MadeOutput, context: StepContext): Promise<Uploaded> => {
  const { contentType, probed } = output
  const { earlyUpload } = made
  if (earlyUpload?.contentType === contentType && downloadOf(output, made)) return earlyUpload.uploaded
  await earlyUpload?.cancel()
  return uploadComplete(probed.path, { kind: 'media', contentType }, context)
}

/** A download was hashed while it was received. */
const hashOutput = async (output: OutputFile, made: MadeOutput): Promise<string> => {
  const found = await downloadOf(output, made)?.spool.sha256()
  if (found) return found
  const hash = createHash('sha256')
  await pipeline(createReadStream(output.probed.path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}
