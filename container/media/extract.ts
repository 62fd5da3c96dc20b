import { join } from 'node:path'
import { contentTypeOf } from '../../worker/domain/media/media-types.ts'
import type { Selection } from '../protocol.ts'
import { SourceFailure } from '../source/failure.ts'
import { containerFor } from './containers.ts'
import { ffmpeg, input } from './ffmpeg.ts'
import { type Probed, probe } from './probe.ts'

export interface Made {
  probed: Probed
  contentType: string
}

/** A download that is one file and has what is wanted stays as it came, to the byte. */
export const isAsWanted = (file: Probed, selection: Selection): boolean => {
  refuseMissing(file.video, file.audio, selection)
  return (selection.includeVideo || !file.video) && (selection.includeAudio || !file.audio)
}

/** The wanted streams of one or two downloads, copied into the container that suits them. */
export const make = async (
  inputs: Probed[],
  selection: Selection,
  workDir: string,
  signal: AbortSignal,
): Promise<Made> => {
  const probed = await copyStreams(wantedStreams(inputs, selection), workDir, signal)
  return kept(probed)
}

export const kept = (probed: Probed): Made => ({
  probed,
  contentType: contentTypeOf(probed.extension, probed.video !== null),
})

interface Streams {
  video: Probed | null
  audio: Probed | null
}

const wantedStreams = (inputs: Probed[], selection: Selection): Streams => {
  const video = inputs.find((input) => input.video) ?? null
  const audio = inputs.findLast((input) => input.audio) ?? null
  refuseMissing(video, audio, selection)
  return { video: selection.includeVideo ? video : null, audio: selection.includeAudio ? audio : null }
}

const refuseMissing = (video: unknown, audio: unknown, selection: Selection): void => {
  if (!selection.includeVideo && !audio) throw new SourceFailure('NO_AUDIO')
  if (!selection.includeAudio && !video) throw new SourceFailure('NO_VIDEO')
}

const copyStreams = async ({ video, audio }: Streams, workDir: string, signal: AbortSignal): Promise<Probed> => {
  const codecs = { videoCodec: video?.video?.codec ?? null, audioCodec: audio?.audio?.codec ?? null }
  const container = containerFor(codecs, (video ?? audio)?.extension ?? null)
  const path = join(workDir, `made.${container.extension}`)
  const files = [...new Set([video, audio].filter((input) => input !== null))]
  const { code, stderr } = await ffmpeg(
    [
      ...files.flatMap(input),
      // The capital V leaves out embedded pictures.
      ...(video ? ['-map', `${files.indexOf(video)}:V:0`] : []),
      ...(audio ? ['-map', `${files.indexOf(audio)}:a:0`] : []),
      ...['-c', 'copy', '-map_metadata', '0', '-map_chapters', '-1', ...(container.options ?? [])],
      ...['-f', container.muxer, path],
    ],
    { signal },
  )
  if (code !== 0) throw cannotCopy(stderr)
  return probe(path, signal)
}

const cannotCopy = (stderr: string): Error => {
  const cause = new Error(`ffmpeg: ${stderr.trim().split('\n').at(-1)}`)
  if (/No space left|Cannot allocate|Permission denied/.test(stderr)) return cause
  return new SourceFailure('SOURCE_UNSUPPORTED', undefined, { cause })
}
