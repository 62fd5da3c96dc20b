import { join } from 'node:path'
import type { Segment } from '../../../worker/domain/words/segment.ts'
import type { Peeked } from '../../media/peek.ts'
import { probe } from '../../media/probe.ts'
import { extractSubtitles, type SubtitleStream } from '../../media/subtitles.ts'
import { download } from '../../source/download.ts'
import type { CaptionTrack, Rendition } from '../../source/source.ts'
import { rankCaptions } from '../../speech/captions/choose.ts'
import { plainTag } from '../../speech/captions/languages.ts'
import { readCaptions } from '../../speech/captions/read.ts'
import { openSpool } from '../spool.ts'
import type { StepContext } from '../step.ts'

/**
 * Subtitles lie all over a film, so that reading them means reading it, which the caller of a $0.01 transcript
 * does not pay for. It is done only where the film's index lists a track of text in a language that is wanted,
 * and up to this size: a long film in HD.
 */
const MAX_FILM_BYTES = 2_000_000_000

export interface Film {
  rendition: Rendition
  peeked: Peeked
}

export interface EmbeddedCaptions {
  track: CaptionTrack
  read(): Promise<Segment[]>
}

/** The tracks inside a film that answer the wish, best first. The film is downloaded when the first is read. */
export const embeddedCaptions = (
  { rendition, peeked }: Film,
  wanted: string | null,
  context: StepContext,
): EmbeddedCaptions[] => {
  const size = rendition.sizeBytes ?? peeked.sizeBytes
  if (size !== null && size > MAX_FILM_BYTES) return []
  const streams = new Map(peeked.subtitles.toSorted(byPurpose).map((stream) => [trackOf(stream, rendition), stream]))
  const film = once(() => fetchFilm(rendition, context))
  const spoken = plainTag(peeked.audio?.language ?? '')
  return rankCaptions([...streams.keys()], { wanted, spoken }).map((track) => ({
    track,
    read: async () => readStream(await film(), streams.get(track)?.index ?? 0, context),
  }))
}

/** What a player shows by itself first; what only translates foreign lines is a poor transcript. */
const byPurpose = (one: SubtitleStream, other: SubtitleStream): number =>
  Number(one.isForced) - Number(other.isForced) || Number(other.isDefault) - Number(one.isDefault)

const trackOf = ({ language }: SubtitleStream, { transport }: Rendition): CaptionTrack => ({
  language: language ?? 'und',
  kind: 'manual',
  original: true,
  format: 'vtt',
  transport,
})

const once = <T>(act: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | null = null
  return () => {
    result ??= act()
    return result
  }
}

/** Probed as a whole: of a film that was cut only a part of the words would be there. */
const fetchFilm = async (rendition: Rendition, { egress, workDir, signal }: StepContext) => {
  const spool = await openSpool(join(workDir, 'film'), { digest: false, signal })
  try {
    await download(rendition, egress, spool, signal, { maxBytes: MAX_FILM_BYTES })
    return await probe(spool.path, signal)
  } finally {
    await spool.close()
  }
}

const readStream = async (
  film: { path: string; demuxer: string },
  index: number,
  { workDir, signal }: StepContext,
): Promise<Segment[]> => {
  const bytes = await extractSubtitles(film, index, join(workDir, `subtitles-${index}.vtt`), signal)
  return bytes ? readCaptions(bytes) : []
}
