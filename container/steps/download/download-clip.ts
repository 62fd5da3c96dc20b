import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Clip, StepLimits } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import { isClipComplete } from '../../media/clip/check-clip.ts'
import { type CutInput, hasKeyframeBefore, SAME_CLOCK_SECONDS } from '../../media/clip/cut-clip.ts'
import { probe } from '../../media/probe.ts'
import { segmentsBefore } from '../../source/clip/choose-segments.ts'
import type { ClipStreams } from '../../source/clip/clip-ranges.ts'
import { announcedSeconds } from '../../source/transfer/segment-list.ts'
import type { StepContext } from '../step.ts'
import { type ClipPart, type ClipPlan, clipSeconds, withSegments } from './clip-plan.ts'
import {
  type DownloadedFiles,
  type DownloadRequest,
  downloadRenditions,
  type MediaOnDisk,
} from './download-renditions.ts'

export interface ClipRequest extends Pick<DownloadRequest, 'maxPercent' | 'diskBytesFor' | 'isFree'> {
  clip: Clip
  limits: StepLimits
  streams: ClipStreams
  /** The clip starts with a picture, so the download has to start with a keyframe. */
  startsWithPicture: boolean
}

interface PartFile {
  part: ClipPart
  path: string
}

/**
 * Segments mostly start with a keyframe. As long as there is none at or before the start of the clip, the segments before
 * these are downloaded too.
 */
export const downloadClip = async (plan: ClipPlan, request: ClipRequest, context: StepContext) => {
  const downloads: DownloadedFiles[] = []
  const downloadedBytes = () => downloads.at(-1)?.downloadedBytes ?? 0
  const downloadParts = async (parts: ClipPart[]): Promise<PartFile[]> => {
    const earlier = { bytes: downloadedBytes(), downloads: downloads.length }
    const made = await downloadRenditions(downloadRequest(plan, parts, request, earlier), context)
    downloads.push(made)
    const { files } = made
    return parts.flatMap((part, index) => (files[index] ? [{ part, path: files[index].spool.path }] : []))
  }
  const { signal } = context
  let files = await downloadParts(plan.parts)
  while (!(await canStart(files, request, signal))) {
    const before = partsBefore(files, downloads.length)
    if (before.length === 0) break
    files = await joined(await downloadParts(before), files, signal)
  }
  files = await withWholeFiles(files, request, downloadParts, signal)
  const inputs = await Promise.all(files.map((file) => cutInput(file, signal)))
  const isWhole = files.some(({ part }) => part.kind === 'whole')
  const mediaSeconds = plan.mediaSeconds ?? probedSeconds(files, inputs)
  return { inputs, downloadedBytes: downloadedBytes(), isWhole, whole: wholeFile(files, inputs), mediaSeconds }
}

/** The source's only file, if all of it was downloaded. */
const wholeFile = ([file, ...others]: PartFile[], [input]: CutInput[]): MediaOnDisk | null => {
  if (!file || !input || others.length > 0 || file.part.kind !== 'whole') return null
  const { rendition } = file.part
  return rendition.transport.kind === 'file' ? { rendition, file: input.probed } : null
}

const downloadRequest = (
  { mediaSeconds }: ClipPlan,
  parts: ClipPart[],
  { clip, limits, streams, ...request }: ClipRequest,
  earlier: DownloadRequest['earlier'] & object,
): DownloadRequest => ({
  ...request,
  renditions: parts.map(({ rendition }) => rendition),
  durationSeconds: clipSeconds(clip, mediaSeconds),
  maxBytes: limits.maxBytes,
  isResult: false,
  fileClips: new Map(parts.flatMap((part) => (part.kind === 'ranges' ? [[part.rendition, part.plan]] : []))),
  earlier,
})

/** Downloads the whole file where ffmpeg does not find the clip in the ranges that the index led to. */
const withWholeFiles = async (
  files: PartFile[],
  { clip, streams }: ClipRequest,
  downloadParts: (parts: ClipPart[]) => Promise<PartFile[]>,
  signal: AbortSignal,
): Promise<PartFile[]> => {
  const complete: PartFile[] = []
  for (const file of files) {
    const { part, path } = file
    if (part.kind !== 'ranges' || (await isClipComplete(part.plan, clip, streams, path, signal))) {
      complete.push(file)
      continue
    }
    await rm(path)
    const rendition = { ...part.rendition, sizeBytes: part.plan.fileBytes }
    complete.push(...(await downloadParts([{ kind: 'whole', rendition }])))
  }
  return complete
}

const cutInput = async ({ part, path }: PartFile, signal: AbortSignal): Promise<CutInput> => {
  const isComplete = part.kind === 'whole' && part.rendition.transport.kind === 'file'
  const probed = await probe(path, signal, { endUnknown: !isComplete })
  return {
    probed,
    positionSeconds: part.kind === 'segments' ? part.chosen.positionSeconds : null,
    completeFromSeconds: part.kind === 'ranges' ? part.plan.completeFromSeconds : null,
  }
}

/** Segments in a row do not say how long the media is. */
const probedSeconds = ([file]: PartFile[], [input]: CutInput[]): number | null =>
  file?.part.rendition.transport.kind === 'file' ? input?.probed.durationSeconds || null : null

const canStart = async ([leading]: PartFile[], { clip, startsWithPicture }: ClipRequest, signal: AbortSignal) => {
  const { startSeconds } = clip
  if (!startsWithPicture || startSeconds === null || leading?.part.kind !== 'segments') return true
  try {
    return await hasKeyframeBefore(await cutInput(leading, signal), startSeconds, signal)
  } catch (error) {
    // Without any keyframe, the pictures of a transport stream have no known size.
    if (error instanceof SourceFailure && error.code === 'SOURCE_UNSUPPORTED') return false
    throw error
  }
}

/** At first the segment before, and twice as much each time. */
const EARLIER_SECONDS = 5

/** Segments before those that were downloaded. Empty: there are none. */
const partsBefore = ([leading, ...others]: PartFile[], round: number): ClipPart[] => {
  if (leading?.part.kind !== 'segments') return []
  const before = partBefore(leading.part, round === 1 ? 0 : EARLIER_SECONDS * 2 ** round)
  if (!before) return []
  const from = before.chosen.positionSeconds - SAME_CLOCK_SECONDS
  const besides = others.map(({ part }) =>
    part.kind === 'segments' ? partBefore(part, part.chosen.positionSeconds - from) : null,
  )
  return [before, ...besides.filter((part) => part !== null)]
}

type SegmentsPart = Extract<ClipPart, { kind: 'segments' }>

const partBefore = (part: SegmentsPart, seconds: number): SegmentsPart | null => {
  const { whole, chosen, rendition } = part
  const before = seconds < 0 ? null : segmentsBefore(whole, chosen, seconds)
  if (!before) return null
  const earlier = withSegments(rendition, before.segments, announcedSeconds(chosen.segments) ?? 1)
  return { ...part, chosen: before, rendition: earlier }
}

/** The earlier files, each followed by the later one of the same rendition, and the files that have no earlier one. */
const joined = async (earlier: PartFile[], later: PartFile[], signal: AbortSignal): Promise<PartFile[]> =>
  Promise.all(
    later.map(async (file) => {
      const before = earlier.find(({ part }) => part.rendition.id === file.part.rendition.id)
      if (!before) return file
      await pipeline(createReadStream(file.path), createWriteStream(before.path, { flags: 'a' }), { signal })
      await rm(file.path)
      return before
    }),
  )
