import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { isAsWanted, kept, type Made, make } from '../media/extract.ts'
import { chosen, select } from '../media/select.ts'
import { ownThumbnail, platformThumbnail } from '../media/thumbnail.ts'
import type { FetchOrder, MediaFacts, Selection, Uploaded } from '../protocol.ts'
import { resolve } from '../source/resolve.ts'
import type { Rendition, Source } from '../source/source.ts'
import { type Arrival, type Arrived, arrive, probeArrived } from './arrival.ts'
import { refuseCut, refuseUnfit } from './fitness.ts'
import type { Step, StepContext, StepResult } from './step.ts'
import { finished, upload } from './upload.ts'

/**
 * From a URL to a file in the bucket:
 *
 *   resolve → select → download → copy the streams into one container → verify → thumbnail → upload
 *
 * A download that will be the result as it came is digested and uploaded while it still arrives. If its
 * probe says that it must be changed after all, or is of another type, that upload is dropped and begins anew.
 */
export const fetchMedia: Step<FetchOrder> = async (order, outer) => {
  const own = new AbortController()
  const context = { ...outer, signal: AbortSignal.any([outer.signal, own.signal]) }
  try {
    return await fetchWithin(order, context)
  } finally {
    // Ends what a failure has left running: the upload, the picture, whoever waits for bytes.
    own.abort(new Error('the step has ended'))
  }
}

const DOWNLOAD_PERCENT = 90

const fetchWithin = async (order: FetchOrder, context: StepContext): Promise<StepResult> => {
  const { egress, extractor, signal } = context
  const source = await resolve(order.url, egress, extractor, signal)
  refuseUnfit(source, order.limits)
  const renditions = chosen(select(source.renditions, order.selection))
  const picture = platformPicture(source, context)
  const arrival = await arrive(
    {
      ...{ renditions, durationSeconds: source.durationSeconds, maxBytes: order.limits.maxBytes },
      ...{ percentShare: DOWNLOAD_PERCENT, isResult: mayBeResult(renditions, order.selection) },
    },
    context,
  )
  try {
    return await deliver(source, arrival, picture, order, context)
  } finally {
    await arrival.close()
  }
}

/** One file, all of whose streams are wanted, is most likely the result as it comes. */
const mayBeResult = (renditions: Rendition[], { includeVideo, includeAudio }: Selection): boolean => {
  const [only] = renditions
  if (!only || renditions.length > 1 || only.transport.kind !== 'file') return false
  return (includeVideo || only.videoCodec === null) && (includeAudio || only.audioCodec === null)
}

/** Fetched beside the media; a source whose picture can't be had is imported all the same. */
const platformPicture = ({ thumbnailUrl }: Source, { egress, workDir, signal }: StepContext): Promise<string | null> =>
  thumbnailUrl ? platformThumbnail(thumbnailUrl, egress, workDir, signal).catch(() => null) : Promise.resolve(null)

const deliver = async (
  source: Source,
  arrival: Arrival,
  picture: Promise<string | null>,
  order: FetchOrder,
  context: StepContext,
): Promise<StepResult> => {
  context.report.set({ stage: 'processing', percent: DOWNLOAD_PERCENT })
  const made = await finish(arrival.arrived, order.selection, context)
  refuseCut(made.probed, source, order.limits)
  context.report.set({ stage: 'uploading', percent: 95 })
  const [media, sha256, thumbnail] = await Promise.all([
    uploadMedia(made, arrival, context),
    digest(made, arrival),
    uploadThumbnail(made, picture, context),
  ])
  const measured = { sha256, sizeBytes: media.sizeBytes, downloadedBytes: arrival.downloadedBytes }
  return { step: 'fetch', media, thumbnail, facts: { ...factsOf(source, made), ...measured } }
}

/** The file that the job results in: the download as it came where that will do. */
const finish = async (arrived: Arrived[], selection: Selection, context: StepContext): Promise<Made> => {
  const { signal, workDir } = context
  const inputs = await Promise.all(arrived.map((one) => probeArrived(one, signal)))
  const [only] = inputs
  const isOneFile = only && inputs.length === 1 && arrived[0]?.rendition.transport.kind === 'file'
  if (isOneFile && isAsWanted(only, selection)) return kept(only)
  return make(inputs, selection, workDir, signal)
}

const uploadMedia = async (made: Made, { arrived, early }: Arrival, context: StepContext): Promise<Uploaded> => {
  const isUploaded = arrived[0]?.spool.path === made.probed.path && early?.contentType === made.contentType
  if (early && isUploaded) return early.uploaded
  await early?.drop()
  return uploadFile('media', made.probed.path, made.contentType, context)
}

const uploadThumbnail = async (
  { probed }: Made,
  picture: Promise<string | null>,
  context: StepContext,
): Promise<Uploaded | null> => {
  const path = (await picture) ?? (await ownThumbnail(probed, context.workDir, context.signal))
  return path === null ? null : uploadFile('thumbnail', path, 'image/jpeg', context)
}

const uploadFile = async (
  kind: 'media' | 'thumbnail',
  path: string,
  contentType: string,
  { worker, signal }: StepContext,
): Promise<Uploaded> => {
  const file = await finished(path)
  return upload(file, { kind, contentType, sizeBytes: file.prefixBytes }, worker, signal)
}

const digest = async ({ probed }: Made, { arrived }: Arrival): Promise<string> => {
  const spool = arrived.find((one) => one.spool.path === probed.path)?.spool
  return (await spool?.sha256()) ?? digestOfFile(probed.path)
}

const digestOfFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}

type FactsOfMedia = Omit<MediaFacts, 'sha256' | 'downloadedBytes' | 'sizeBytes'>

const factsOf = ({ title, note }: Source, { probed, contentType }: Made): FactsOfMedia => ({
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
