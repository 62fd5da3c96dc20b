import { join } from 'node:path'
import type { StoredTranscript } from '../../domain/words/transcript-body.ts'
import type { PeekedFile } from '../media/peek.ts'
import { probe } from '../media/probe.ts'
import { extractSubtitles, type SubtitleStream } from '../media/subtitles.ts'
import { inReader } from '../sandbox/reader.ts'
import { download } from '../source/download.ts'
import type { CaptionTrack, Rendition } from '../source/source.ts'
import { openSpool } from '../source/spool.ts'
import { rankCaptions } from './choose.ts'
import { normalizeLanguageTag } from './languages.ts'
import type { CaptionContext } from './listed.ts'

/**
 * Subtitles are interleaved with the video, so reading them means downloading the whole file, which a transcript
 * at $0.01 does not pay for. Therefore this is done only if the file's index lists a text track in a requested
 * language and the file is at most this large (a feature film in HD).
 */
const MAX_FILE_BYTES = 2_000_000_000

/** A rendition and what its first and last bytes show. */
interface PeekedRendition {
  rendition: Rendition
  peeked: PeekedFile
}

export interface EmbeddedCaptions {
  track: CaptionTrack
  read(): Promise<StoredTranscript>
}

/** The matching tracks inside a media file, best first. The file is downloaded once, when the first track is read. */
export const embeddedCaptions = (
  { rendition, peeked }: PeekedRendition,
  requested: string | null,
  context: CaptionContext,
): EmbeddedCaptions[] => {
  const size = rendition.sizeBytes ?? peeked.sizeBytes
  if (size !== null && size > MAX_FILE_BYTES) return []
  const streams = new Map(peeked.subtitles.toSorted(byPurpose).map((stream) => [trackOf(stream, rendition), stream]))
  const file = once(() => fetchFile(rendition, context))
  const spoken = normalizeLanguageTag(peeked.audio?.language ?? '')
  return rankCaptions([...streams.keys()], { requested, spoken }).map((track) => ({
    track,
    read: async () => readStream(await file(), streams.get(track)?.index ?? 0, context),
  }))
}

/** Full tracks before forced ones, which translate only foreign-language lines; then the default track first. */
const byPurpose = (one: SubtitleStream, other: SubtitleStream): number =>
  Number(one.isForced) - Number(other.isForced) || Number(other.isDefault) - Number(one.isDefault)

const trackOf = ({ language }: SubtitleStream, { transport }: Rendition): CaptionTrack => ({
  language: language ?? 'und',
  kind: 'manual',
  original: true,
  format: 'vtt',
  transport,
})

const once = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | null = null
  return () => {
    result ??= load()
    return result
  }
}

/** Probes the complete file: a truncated one would give a partial transcript. */
const fetchFile = async (rendition: Rendition, { egress, workDir, signal }: CaptionContext) => {
  const spool = await openSpool(join(workDir, 'captions-source'), { digest: false, signal })
  try {
    await download(rendition, egress, spool, signal, { maxBytes: MAX_FILE_BYTES })
    return await probe(spool.path, signal)
  } finally {
    await spool.close()
  }
}

const read = inReader<typeof import('./read.ts')>(new URL('./read.ts', import.meta.url))

const readStream = async (
  file: { path: string; demuxer: string },
  index: number,
  { workDir, signal }: CaptionContext,
): Promise<StoredTranscript> => {
  const bytes = await extractSubtitles(file, index, join(workDir, `subtitles-${index}.vtt`), signal)
  const files = bytes ? [bytes] : []
  return await read('readTranscript', [[{ files, isOneFile: true, shiftSeconds: 0 }]], signal)
}
