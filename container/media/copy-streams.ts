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

/** A download without other streams is kept byte for byte. Throws NO_AUDIO or NO_VIDEO when the only requested stream is missing. */
export const matchesSelection = (file: ProbedFile, selection: Selection): boolean => {
  refuseMissing(file.video, file.audio, selection)
  return (selection.includeVideo || !file.video) && (selection.includeAudio || !file.audio)
}

export const copyStreams = (inputs: ProbedFile[], selection: Selection, options: CopyOptions): Promise<OutputFile> =>
  copyInto(requestedStreams(inputs, selection), { name: 'output', containerFor }, options)

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

interface Copy {
  name: string
  containerFor: typeof containerFor
  /** Arguments for the files with the streams, in this order: video, audio. */
  inputs?: string[]
  output?: string[]
}

export const copyInto = async (
  { video, audio }: Streams,
  { name, containerFor, inputs, output = [] }: Copy,
  { workDir, spends, signal }: CopyOptions,
): Promise<OutputFile> => {
  const codecs = { videoCodec: video?.video?.codec ?? null, audioCodec: audio?.audio?.codec ?? null }
  const container = containerFor(codecs, (video ?? audio)?.extension ?? null)
  const path = join(workDir, `${name}.${container.extension}`)
  const files = [...new Set([video, audio].filter((file) => file !== null))]
  const { code, stderr } = await ffmpeg(
    [
      ...(inputs ?? files.flatMap(input)),
      // `V` excludes embedded pictures such as cover art; `v` would include them.
      ...(video ? ['-map', `${files.indexOf(video)}:V:0`] : []),
      ...(audio ? ['-map', `${files.indexOf(audio)}:a:0`] : []),
      ...['-c', 'copy', '-map_metadata', '0', '-map_chapters', '-1', ...(container.options ?? [])],
      ...[...output, '-f', container.muxer, path],
    ],
    { signal, reads: files.map(({ path }) => path), writes: path, spends },
  )
  if (code !== 0) throw sourceError(stderr)
  return outputFile(await probe(path, signal))
}
