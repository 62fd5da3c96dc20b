import { copiesOnDisk } from '../../../domain/jobs/step-resources.ts'
import type { Clip, FetchOrder, MediaFacts } from '../../../domain/protocol/protocol.ts'
import { milliseconds } from '../../../domain/words/segment.ts'
import { cutClip } from '../../media/clip/cut-clip.ts'
import type { OutputFile } from '../../media/copy-streams.ts'
import { toCopy } from '../../media/spending.ts'
import type { Source } from '../../source/source.ts'
import { clipSeconds, planClip } from '../download/clip-plan.ts'
import { type DownloadedClip, downloadClip } from '../download/download-clip.ts'
import type { DownloadedFiles } from '../download/download-renditions.ts'
import { refuseTooLong, refuseTruncated } from '../download/media-limits.ts'
import type { StepContext } from '../step.ts'

/** A file with the requested streams, and the downloads that it was made from. */
export interface MadeOutput {
  output: OutputFile
  downloads: Pick<DownloadedFiles, 'files' | 'earlyUpload' | 'downloadedBytes'>
  /** A message to the caller. */
  note: string | null
  clip?: MediaFacts['clip'] & object
}

/** The step's percentage when the download is complete. */
export const DOWNLOADED_PERCENT = 90

/** What is done with the output while its downloads are open. */
export type Use<T> = (made: MadeOutput) => Promise<T>

/** A clip of the chosen renditions. `use` is called before the downloads are closed. */
export const withClipOutput = async <T>(
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
