import { type Box, boxAt, boxesIn, timescaleOf, uint32 } from '../../source/index/mp4/boxes.ts'
import {
  boxesFrom,
  fragmentFrom,
  maxBoxes,
  randomAccessIndex,
  segmentIndexes,
} from '../../source/index/mp4/fragment-index.ts'
import { type Movie, mediaTracks, trackId } from '../../source/index/mp4/movie.ts'
import { positionsInFragment, type SamplePosition, sampleDefaults } from '../../source/index/mp4/samples.ts'
import { ifKnown, Missing, OutOfReach, type SparseFile } from '../../source/index/sparse-file.ts'
import type { EmbeddedTrack, TextFormat } from './text.ts'

/** The text tracks. A track of chapter titles is none, although it has the same format. */
export const movieTracks = (movie: Movie): EmbeddedTrack[] =>
  mediaTracks(movie).flatMap((trak) => textTrack(trak) ?? [])

/** Sample entries that hold text. The others are images (`mp4s`), caption data for decoders (`c608`), or encrypted. */
const formats: Record<string, TextFormat> = { tx3g: 'tx3g', text: 'tx3g', wvtt: 'mp4', stpp: 'mp4' }

const textTrack = (trak: Buffer): EmbeddedTrack | null => {
  const descriptions = boxAt(trak, 'mdia/minf/stbl/stsd')?.content.subarray(8) ?? Buffer.alloc(0)
  const entry: Box | undefined = boxesIn(descriptions).next().value ?? undefined
  const format = entry && formats[entry.type]
  if (!format) return null
  return {
    id: trackId(trak),
    language: languageOf(trak),
    isDefault: (uint32(boxAt(trak, 'tkhd')?.content, 0) & 1) === 1,
    // A flag of tx3g says that all samples are forced.
    isForced: entry.type === 'tx3g' && (uint32(entry.content, 8) & 0x80000000) !== 0,
    format,
  }
}

/** QuickTime's language codes (QuickTime File Format, "Language code values"), by number. Later ones are not in use. */
const macintoshLanguages: readonly (string | undefined)[] = (
  'en fr de it nl sv es da pt no he ja ar fi el is mt tr hr zh-Hant ur hi th ko lt pl hu et lv se fo fa ru zh-Hans ' +
  'nl-BE ga sq ro cs sk sl yi sr mk bg uk be uz kk az'
).split(' ')

/** `elng` has a BCP 47 tag. `mdhd` has three letters of five bits each, or in QuickTime a number below 0x400. */
const languageOf = (trak: Buffer): string | null => {
  const extended = boxAt(trak, 'mdia/elng')?.content.toString('latin1', 4, 40).split('\0')[0]
  if (extended) return extended
  const header = boxAt(trak, 'mdia/mdhd')?.content
  const packed = uint32(header, header?.[0] === 1 ? 32 : 20) >>> 16
  if (packed < 0x400) return macintoshLanguages[packed] ?? null
  const letters = [10, 5, 0].map((shift) => String.fromCharCode(((packed >> shift) & 31) + 0x60))
  return letters.join('')
}

/**
 * The samples of a fragmented file are listed in its `moof` boxes, which are found by going from box to box. An index of
 * the fragments (`sidx`, `mfra`) only says what to fetch beforehand: it may leave out some of them. Without one, each box
 * would take a request, so the file is out of reach unless it is known.
 */
export function* positionsInFragments(
  file: SparseFile,
  movie: Movie,
  trak: Buffer,
  id: number,
): Generator<SamplePosition> {
  const timescale = timescaleOf(boxAt(trak, 'mdia/mdhd')?.content)
  const track = { trackId: id, timescale, ...sampleDefaults(extensionOf(movie, id)) }
  const hints = fragmentOffsets(file, movie)
  fetchFragments(file, hints)
  try {
    for (const { type, at, contentAt, end } of boxesFrom(file, movie.end)) {
      if (type === 'moof') yield* positionsInFragment({ type, at, content: file.read(contentAt, end) }, track)
    }
  } catch (error) {
    if (error instanceof Missing && hints.length === 0) throw new OutOfReach('fragments without an index')
    throw error
  }
}

const extensionOf = (movie: Movie, id: number): Buffer | undefined => {
  for (const { type, content } of boxesIn(boxAt(movie.content, 'mvex')?.content ?? Buffer.alloc(0))) {
    if (type === 'trex' && uint32(content, 4) === id) return content
  }
  return undefined
}

const fragmentHeadBytes = 4_096

const fetchFragments = (file: SparseFile, offsets: number[]): void => {
  const sizeBytes = file.sizeBytes ?? 0
  const starts = offsets.filter((offset) => offset < sizeBytes)
  file.require(starts.map((start) => ({ start, end: start + fragmentHeadBytes })))
  file.require(
    starts.flatMap((offset) => {
      const moof = ifKnown(() => fragmentFrom(file, offset))
      return moof ? [{ start: moof.at, end: moof.end + 16 }] : []
    }),
  )
}

const fragmentOffsets = (file: SparseFile, movie: Movie): number[] => {
  const segments = segmentIndexes(file, movie).flatMap(({ segments }) => segments)
  const points = [...(randomAccessIndex(file)?.tracks.values() ?? [])].flat()
  return [...new Set([...segments, ...points].map(({ at }) => at))].slice(0, maxBoxes)
}
