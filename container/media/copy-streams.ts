import { join } from 'node:path'
import { contentTypeOf } from '../../domain/media/media-types.ts'
import type { Selection } from '../../domain/protocol/protocol.ts'
import { SourceFailure } from '../failures.ts'
import { containerFor } from './containers.ts'
import { ffmpeg, input, sourceError } from './ffmpeg.ts'
import { type ProbedFile, probe } from './probe.ts'
import type { Spending } from './spending.ts'

export interface OutputFile {
  probed: ProbedFile
  contentType: string
}

/** Such a download is kept byte for byte. Throws NO_AUDIO or NO_VIDEO when the only requested stream is missing. */
export const matchesSelection = (file: ProbedFile, selection: Selection): boolean => {
  refuseMissing(file.video, file.audio, selection)
  return (selection.includeVideo || !file.video) && (selection.includeAudio || !file.audio)
}

/** Copies the requested streams of one or two downloads, without re-encoding, into a container that holds them. */
export const copyStreams = async (
  inputs: ProbedFile[],
  selection: Selection,
  options: CopyOptions,
): Promise<OutputFile> => outputFile(await copyInto(requestedStreams(inputs, selection), options))

export interface CopyOptions {
  workDir: string
  spends: Spending
  signal: AbortSignal
}

export const outputFile = (probed: ProbedFile): OutputFile => ({
  probed,
  contentType: contentTypeOf(probed.extension, probed.video !== null),
})

interface Streams {
  video: ProbedFile | null
  audio: ProbedFile | null
}

export const requestedStreams = (inputs: ProbedFile[], selection: Selection): Streams => {
  const video = inputs.find((input) => input.video) ?? null
  const audio = inputs.findLast((input) => input.audio) ?? null
  refuseMissing(video, audio, selection)
  return { video: selection.includeVideo ? video : null, audio: selection.includeAudio ? audio : null }
}

const refuseMissing = (video: unknown, audio: unknown, selection: Selection): void => {
  if (!selection.includeVideo && !audio) throw new SourceFailure('NO_AUDIO')
  if (!selection.includeAudio && !video) throw new SourceFailure('NO_VIDEO')
}

const copyInto = async ({ video, audio }: Streams, { workDir, spends, signal }: CopyOptions): Promise<ProbedFile> => {
  const codecs = { videoCodec: video?.video?.codec ?? null, audioCodec: audio?.audio?.codec ?? null }
  const container = containerFor(codecs, (video ?? audio)?.extension ?? null)
  const path = join(workDir, `output.${container.extension}`)
  const files = [...new Set([video, audio].filter((input) => input !== null))]
  const { code, stderr } = await ffmpeg(
    [
      ...files.flatMap(input),
      // `V` excludes embedded pictures such as cover art; `v` would include them.
      ...(video ? ['-map', `${files.indexOf(video)}:V:0`] : []),
      ...(audio ? ['-map', `${files.indexOf(audio)}:a:0`] : []),
      ...['-c', 'copy', '-map_metadata', '0', '-map_chapters', '-1', ...(container.options ?? [])],
      ...['-f', container.muxer, path],
    ],
    { signal, reads: files.map(({ path }) => path), writes: path, spends },
  )
  if (code !== 0) throw sourceError(stderr)
  return probe(path, signal)
}
