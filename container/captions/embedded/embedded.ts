import type { StoredTranscript } from '../../../domain/words/transcript-body.ts'
import type { LimitedEgress } from '../../egress/allowance.ts'
import { SourceFailure } from '../../failures.ts'
import type { PeekedFile } from '../../media/peek.ts'
import { inReader } from '../../sandbox/reader.ts'
import { askByRanges, openRemoteFile, type PartlyKnownFile } from '../../source/index/remote-file.ts'
import type { Answer } from '../../source/index/sparse-file.ts'
import type { CaptionTrack, Rendition, Transport } from '../../source/source.ts'
import { type CaptionPreference, rankCaptions } from '../choose.ts'
import { normalizeLanguageTag } from '../languages.ts'
import type { EmbeddedTrack } from './text.ts'

/** The formats whose index is read. Text in other containers is rare. */
const readable: ReadonlySet<string> = new Set(['mp4', 'mov', 'm4a', '3gp', 'mkv', 'webm', 'mka'])

/**
 * The matching text tracks inside MP4, QuickTime, Matroska and WebM files, best first. Their samples are interleaved with
 * the video, and a transcript for a cent does not pay for a film. So only the file's index and the samples of the track
 * are fetched, by ranges: what is missing is asked of the reader process, until it has found the track's text.
 *
 * Tracks that cannot be read in this way count as none, unless the egress allows to fetch the whole file: files whose
 * index does not say where the text is, and origins without ranges. `peeked`: null if the index could not be probed.
 */
export const embeddedCaptions = async (
  rendition: Rendition,
  peeked: PeekedFile | null,
  preference: CaptionPreference,
  { egress, signal }: { egress: LimitedEgress; signal: AbortSignal },
) => {
  const { transport } = rendition
  const { extension, parts, sizeBytes, startSeconds } = peeked ?? unprobed(rendition)
  if (transport.kind !== 'file') return []
  const file = openRemoteFile({ ...rendition, transport }, { sizeBytes, parts }, egress, signal)
  const found = await tracksInFile(file, { extension, startSeconds, transport }, signal)
  const spoken = normalizeLanguageTag(peeked?.audio?.language ?? '')
  return byRank(found, { spoken, ...preference })
}

interface InFile {
  track: CaptionTrack
  read(): Promise<StoredTranscript>
}

const byRank = (found: InFile[], preference: CaptionPreference): InFile[] => {
  const tracks = new Map(found.map((each) => [each.track, each]))
  return rankCaptions([...tracks.keys()], preference).flatMap((track) => tracks.get(track) ?? [])
}

/** All text tracks of a file. */
export const tracksInFile = async (
  file: PartlyKnownFile,
  { extension, startSeconds, transport }: { extension: string; startSeconds: number; transport: Transport },
  signal: AbortSignal,
): Promise<InFile[]> => {
  if (!readable.has(extension)) return []
  const found = await answered(file, () => read('listTracks', [file.known, file.budget], signal))
  return found.toSorted(byPurpose).map((track) => {
    const ask = () => read('readTrack', [file.known, track.id, startSeconds, file.budget], signal)
    let reading: Promise<StoredTranscript> | undefined
    const readOnce = () => {
      reading ??= answered(file, ask)
      return reading
    }
    return { track: captionTrack(track, transport), read: readOnce }
  })
}

const unprobed = ({ container, sizeBytes, sizeIsEstimate }: Rendition) => ({
  extension: container ?? '',
  parts: [],
  sizeBytes: sizeIsEstimate ? null : sizeBytes,
  // Nearly all files start at 0.
  startSeconds: 0,
})

/** Full tracks before forced ones, which translate only foreign-language lines; then the default track first. */
const byPurpose = (one: EmbeddedTrack, other: EmbeddedTrack): number =>
  Number(one.isForced) - Number(other.isForced) || Number(other.isDefault) - Number(one.isDefault)

const captionTrack = ({ language }: EmbeddedTrack, transport: Transport): CaptionTrack => ({
  language: language ?? 'und',
  kind: 'manual',
  original: true,
  format: 'vtt',
  transport,
})

const read = inReader<typeof import('./read-embedded.ts')>(new URL('./read-embedded.ts', import.meta.url))

/** Real files take about five. */
const maxRounds = 20

/** Reads the whole file where ranges are not enough, if it may. */
const answered = async <T>(file: PartlyKnownFile, ask: () => Promise<Answer<T>>): Promise<T> => {
  for (;;) {
    const answer = await askByRanges(file, maxRounds, ask)
    if ('found' in answer) return answer.found
    if (!file.canFetchAll) {
      throw new SourceFailure('SOURCE_UNSUPPORTED', `The captions are out of reach: ${answer.outOfReach}.`)
    }
    await file.fetchAll()
  }
}
