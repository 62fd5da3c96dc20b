import { join } from 'node:path'
import { contentTypeOf } from '../../../domain/media/media-types.ts'
import type { Uploaded } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import { type ProbedFile, probe } from '../../media/probe.ts'
import { downloadFileClip, type FileClipPlan, markHoles } from '../../source/clip/file-clip.ts'
import { download } from '../../source/download.ts'
import type { Rendition } from '../../source/source.ts'
import { openSpool, type Spool } from '../../source/spool.ts'
import type { FetchContext } from '../../source/transfer/stream.ts'
import { uploadFile } from '../../worker-client.ts'
import type { StepContext } from '../step.ts'
import { type AgreedBytes, createAgreedBytes } from './agreed-bytes.ts'

export interface DownloadedFiles {
  files: DownloadedFile[]
  downloadedBytes: number
  earlyUpload: EarlyUpload | null
}

export interface DownloadedFile {
  rendition: Rendition
  spool: Spool
}

/** The file of a source that has only one, and all of it. */
export interface MediaOnDisk {
  rendition: Rendition
  file: ProbedFile
}

export interface DownloadRequest {
  renditions: Rendition[]
  durationSeconds: number | null
  maxBytes: number
  maxPercent: number
  /** The disk space that the step needs for a download of this size. */
  diskBytesFor(downloadBytes: number): number
  /** The file is in our own storage, so that its bytes are neither a download nor charged. */
  isFree?: boolean
  /** The download is most likely the result, so it is hashed and uploaded while it is received. */
  isResult: boolean
  /** The renditions of which only some byte ranges are downloaded, into files with holes. */
  fileClips?: ReadonlyMap<Rendition, FileClipPlan>
  /** What an earlier download of the same step has taken. Its files have other names. */
  earlier?: { bytes: number; downloads: number }
}

export const downloadRenditions = async (request: DownloadRequest, context: StepContext): Promise<DownloadedFiles> => {
  const { renditions, isResult, isFree = false, diskBytesFor, maxBytes, fileClips } = request
  const { earlier = { bytes: 0, downloads: 0 } } = request
  const { egress, progress, signal, workDir, needDisk } = context
  const agreed = isFree ? unlimited : createAgreedBytes(context)
  const refuseTooLarge = (bytes: number) => {
    if (bytes > maxBytes) throw new SourceFailure('MEDIA_TOO_LARGE')
  }
  const announced = new Map<number, number>()
  const announcedBytes = () => announced.values().reduce((sum, bytes) => sum + bytes, 0)
  const totalBytes = () => (announced.size === renditions.length ? announcedBytes() : null)
  const allAnnounced = Promise.withResolvers<void>()
  const announce = (index: number, bytes: number) => {
    announced.set(index, bytes)
    refuseTooLarge(announcedBytes())
    const total = totalBytes()
    if (total === null) return
    needDisk(diskBytesFor(total))
    allAnnounced.resolve()
    if (isFree) return
    progress.set({ totalBytes: total })
    agreed.announce(total)
  }
  let downloadedBytes = earlier.bytes
  const estimatedBytes = estimateBytes(request)
  const onBytes = (bytes: number) => {
    downloadedBytes += bytes
    refuseTooLarge(downloadedBytes)
    // A size that is unknown is guessed, so that the step is not given back many times.
    needDisk(diskBytesFor(downloadedBytes), diskBytesFor(Math.min(2 * downloadedBytes, maxBytes)))
    const percent = percentOf(downloadedBytes, totalBytes() ?? estimatedBytes, request)
    progress.set(isFree ? { percent } : { percent, downloadedBytes })
  }
  try {
    progress.set({ stage: 'downloading' })
    if (earlier.bytes > 0) await agreed.take(earlier.bytes)
    for (const [index, { sizeBytes, sizeIsEstimate }] of renditions.entries()) {
      if (sizeBytes !== null && !sizeIsEstimate) announce(index, sizeBytes)
    }
    const files: DownloadedFile[] = []
    for (const [index, rendition] of renditions.entries()) {
      const onAnnounce = (bytes: number) => announce(index, bytes)
      const path = join(workDir, `download-${earlier.downloads}-${index}`)
      const spool = await openSpool(path, { digest: isResult, signal, onAnnounce, take: agreed.take, onBytes })
      files.push({ rendition, spool })
    }
    const [only] = files
    const size = { known: allAnnounced.promise, totalBytes }
    const earlyUpload = isResult && only ? uploadWhileDownloading(only, size, context) : null
    await Promise.all(files.map((file) => downloadInto(file, fileClips?.get(file.rendition), { egress, signal })))
    progress.set({ wantedBytes: undefined })
    return { files, downloadedBytes, earlyUpload }
  } finally {
    agreed.close()
  }
}

const downloadInto = async (
  { rendition, spool }: DownloadedFile,
  plan: FileClipPlan | undefined,
  context: FetchContext,
): Promise<void> => {
  if (plan) {
    await downloadFileClip(plan, spool, context)
    await markHoles(spool.path, plan)
  } else {
    const sizeBytes = await download(rendition, spool, context)
    if (spool.prefixBytes !== sizeBytes) throw new Error(`${spool.prefixBytes} of ${sizeBytes} bytes reached the disk`)
    if (sizeBytes === 0) throw new SourceFailure('SOURCE_TRUNCATED')
  }
  await spool.finish()
}

type EarlyUpload = ReturnType<typeof uploadWhileDownloading>

/** Where the source announces no size, the upload starts at this one. A smaller file may be uploaded with a single PUT. */
const START_BYTES = 8 * 1024 * 1024

const uploadWhileDownloading = (
  { rendition, spool }: DownloadedFile,
  { known, totalBytes }: { known: Promise<void>; totalBytes: () => number | null },
  { worker, signal: step }: StepContext,
) => {
  const canceled = new AbortController()
  const signal = AbortSignal.any([step, canceled.signal])
  const contentType = contentTypeOf(rendition.container ?? '', rendition.videoCodec !== null)
  const start = async (): Promise<Uploaded> => {
    await Promise.race([known, spool.reached(START_BYTES)])
    const sizeBytes = spool.ended ? spool.prefixBytes : totalBytes()
    return uploadFile(spool, { kind: 'media', contentType, sizeBytes }, { worker, signal })
  }
  const uploaded = start()
  // Prevents an unhandled rejection: `uploaded` is awaited only after the file has been probed, if at all.
  const settled = uploaded.catch(() => {})
  return {
    uploaded,
    /** The content type that storage received: the one that the source states. */
    contentType,
    cancel: async (): Promise<void> => {
      canceled.abort(new Error('the result is another file'))
      await settled
    },
  }
}

const unlimited: AgreedBytes = { take: async () => {}, announce: () => {}, close: () => {} }

const percentOf = (bytes: number, totalBytes: number | null, { maxPercent }: DownloadRequest): number | null =>
  totalBytes ? Math.min(maxPercent, Math.floor((bytes / totalBytes) * maxPercent)) : null

/** Only the percentage follows from it. Money is held for announced sizes. */
const estimateBytes = ({ renditions, durationSeconds }: DownloadRequest): number | null => {
  const sizes = renditions.map(({ sizeBytes, bitrate }) => sizeBytes ?? ((bitrate ?? 0) * (durationSeconds ?? 0)) / 8)
  return sizes.reduce((sum, bytes) => sum + bytes, 0) || null
}

/** The end of concatenated segments is not checked here but in the file made from them. */
export const probeDownload = ({ rendition, spool }: DownloadedFile, signal: AbortSignal): Promise<ProbedFile> =>
  probe(spool.path, signal, { endUnknown: rendition.transport.kind !== 'file' })
