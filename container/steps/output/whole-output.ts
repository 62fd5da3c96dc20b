import { copiesOnDisk } from '../../../domain/jobs/step-resources.ts'
import type { FetchOrder, Selection } from '../../../domain/protocol/protocol.ts'
import { chooseRenditions } from '../../media/choose-quality.ts'
import { copyStreams, matchesSelection, type OutputFile, outputFile } from '../../media/copy-streams.ts'
import type { Rendition, Source } from '../../source/source.ts'
import { type DownloadedFiles, downloadRenditions, probeDownload } from '../download/download-renditions.ts'
import { refuseLiveOrTooLong, refuseTooLongOrTruncated } from '../download/media-limits.ts'
import type { StepContext } from '../step.ts'
import { DOWNLOADED_PERCENT, type Use } from './made-output.ts'

/** The whole media. `use` is called before the downloads are closed. */
export const withWholeOutput = async <T>(
  source: Source,
  order: FetchOrder,
  context: StepContext,
  use: Use<T>,
): Promise<T> => {
  const { limits, selection } = order
  refuseLiveOrTooLong(source, limits)
  const renditions = chooseRenditions(source.renditions, selection)
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
    const output = await makeOutput(downloads, selection, context)
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
