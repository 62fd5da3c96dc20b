import { type StoredTranscript, storedTranscript } from '../../../domain/words/transcript-body.ts'
import type { Budget } from '../../source/index/file-ranges.ts'
import { isMatroska, openMatroska } from '../../source/index/matroska/matroska-file.ts'
import { editShift, isFragmented, type Movie, readMovie, trackBox } from '../../source/index/mp4/movie.ts'
import { positionsInTable, type SamplePosition } from '../../source/index/mp4/samples.ts'
import { type Answer, answerOf, type KnownBytes, malformed, SparseFile } from '../../source/index/sparse-file.ts'
import { CaptionsTooLarge, type Cue, maxCaptionBytes, moved } from '../cue.ts'
import type { Sample } from '../formats/mp4.ts'
import { normalize } from '../normalize.ts'
import { type MatroskaTrack, matroskaSamples, matroskaTracks } from './matroska.ts'
import { movieTracks, positionsInFragments } from './mp4.ts'
import { cuesIn, type EmbeddedTrack, maxSamples } from './text.ts'

export const listTracks = (known: KnownBytes, budget: Budget): Answer<EmbeddedTrack[]> =>
  answerOf(budget, () => {
    const file = new SparseFile(known)
    if (isMatroska(file)) return matroskaTracks(file, openMatroska(file)).map(withoutCompression)
    return movieTracks(readMovie(file))
  })

/** `startSeconds`: when the media starts in the file's own time. A transcript's times are from there. */
export const readTrack = (
  known: KnownBytes,
  id: number,
  startSeconds: number,
  budget: Budget,
): Answer<StoredTranscript> =>
  answerOf(budget, () => {
    const file = new SparseFile(known)
    const cues = isMatroska(file) ? matroskaCues(file, id) : movieCues(file, id)
    return storedTranscript(normalize(cues.map((cue) => moved(cue, -startSeconds))))
  })

const withoutCompression = ({ compression, ...track }: MatroskaTrack): EmbeddedTrack => track

const matroskaCues = (file: SparseFile, id: number): Cue[] => {
  const matroska = openMatroska(file)
  const track = matroskaTracks(file, matroska).find((track) => track.id === id)
  if (!track) throw malformed('track')
  const samples = limited(matroskaSamples(file, matroska, track), ({ data }) => data.length)
  return cuesIn(samples, track.format)
}

const movieCues = (file: SparseFile, id: number): Cue[] => {
  const movie = readMovie(file)
  const trak = trackBox(movie, id)
  const format = movieTracks(movie).find((track) => track.id === id)?.format ?? 'tx3g'
  const shift = editShift(movie, trak)
  const positions = Array.from(limited(movieSamplePositions(file, movie, trak, id), ({ size }) => size))
  const withText = positions.filter(({ size }) => size > (emptySampleBytes[format] ?? 0))
  file.require(withText.map(({ at, size }) => ({ start: at, end: at + size })))
  const samples: Sample[] = withText.map(({ start, end, at, size }) => ({ start, end, data: file.read(at, at + size) }))
  return cuesIn(samples, format).map((cue) => moved(cue, shift))
}

/** A sample of a fragmented file may also be in the table of its first part. */
function* movieSamplePositions(file: SparseFile, movie: Movie, trak: Buffer, id: number): Generator<SamplePosition> {
  yield* positionsInTable(trak)
  if (isFragmented(movie)) yield* positionsInFragments(file, movie, trak, id)
}

/** The length of no text (tx3g), or an empty `vtte` box. They fill the pauses, and need not be fetched. */
const emptySampleBytes: Record<string, number> = { tx3g: 2, mp4: 8 }

/** Several samples may share the same bytes, so the limits are on what is listed and not on what is fetched. */
function* limited<T>(samples: Iterable<T>, sizeOf: (sample: T) => number): Generator<T> {
  let [count, bytes] = [0, 0]
  for (const sample of samples) {
    bytes += sizeOf(sample)
    if (++count > maxSamples) throw new CaptionsTooLarge(`more than ${maxSamples} samples`)
    if (bytes > maxCaptionBytes) throw new CaptionsTooLarge(`samples of more than ${maxCaptionBytes} bytes`)
    yield sample
  }
}
