import { boxAt, timescaleOf, uint32 } from '../../index/mp4/boxes.ts'
import { editShift, editsOf, type Movie, mediaTracks, trackId } from '../../index/mp4/movie.ts'
import { OutOfReach } from '../../index/sparse-file.ts'
import type { ClipStreams } from '../clip-ranges.ts'

export interface ClipTrack {
  id: number
  trak: Buffer
  timescale: number
  /** To be added to its times, in seconds. */
  shift: number
  /** When it starts, in the file's own time. */
  startSeconds: number
}

/** The first tracks of pictures and sound, as ffmpeg numbers them. Chapters may be tracks of pictures. */
export const clipTracks = (movie: Movie, { includeVideo, includeAudio }: ClipStreams) => {
  const all = mediaTracks(movie)
  const first = (handler: string) =>
    all.find((trak) => boxAt(trak, 'mdia/hdlr')?.content.toString('latin1', 8, 12) === handler)
  const [pictures, sound] = [first('vide'), first('soun')]
  const video = pictures ? clipTrack(movie, pictures) : null
  const audio = sound ? clipTrack(movie, sound) : null
  const chosen = [includeVideo ? video : null, includeAudio ? audio : null].filter((track) => track !== null)
  // Demuxers seek by the pictures, also if only sound is wanted.
  const seekTrack = video ?? audio
  if (!seekTrack || chosen.length === 0) throw new OutOfReach('no such track')
  return { chosen, seekTrack }
}

/** A pause and one part of the media is what nearly all files have. Others are put together from several parts. */
const clipTrack = (movie: Movie, trak: Buffer): ClipTrack => {
  const timescale = timescaleOf(boxAt(trak, 'mdia/mdhd')?.content)
  const edits = editsOf(movie, trak)
  const parts = edits.filter(({ mediaStart }) => mediaStart !== null)
  const isSimple = parts.length <= 1 && parts.every(({ rate }) => rate === 1) && edits.at(-1)?.mediaStart !== null
  if (!isSimple) throw new OutOfReach('an edit list of several parts')
  const shift = editShift(movie, trak)
  // From the time when the first picture is decoded to when it is shown.
  const firstOffset = Math.max(0, uint32(boxAt(trak, 'mdia/minf/stbl/ctts')?.content, 12) | 0) / timescale
  const startSeconds = parts.length === 0 ? shift + firstOffset : Math.max(0, shift)
  return { id: trackId(trak), trak, timescale, shift, startSeconds }
}
