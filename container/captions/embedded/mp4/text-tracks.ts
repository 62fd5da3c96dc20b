import { type Box, boxAt, boxesIn } from '../../../source/index/mp4/boxes.ts'
import { uint32 } from '../../../source/index/mp4/fragment-samples.ts'
import { chapterTracks, type Movie, trackBoxes, trackId } from '../../../source/index/mp4/movie.ts'
import type { EmbeddedTrack, TextFormat } from '../track.ts'

/** The text tracks. A track of chapter titles is none, although it has the same format. */
export const movieTracks = ({ content }: Movie): EmbeddedTrack[] => {
  const tracks = trackBoxes(content)
  const chapters = new Set(tracks.flatMap(chapterTracks))
  return tracks.flatMap((trak) => {
    const track = textTrack(trak)
    return track && !chapters.has(track.id) ? [track] : []
  })
}

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
    // The track is enabled (`tkhd`).
    isDefault: (uint32(boxAt(trak, 'tkhd')?.content, 0) & 1) === 1,
    // Of tx3g: all samples are forced.
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
