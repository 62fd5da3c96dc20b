import type { FailureCode } from '../../domain/codes/failures.ts'
import { concatenated, utf8 } from '../../domain/encoding.ts'
import { lanes } from '../../domain/lanes.ts'
import { MAX_CAPTION_TRACKS } from '../../domain/options/file-options.ts'
import type { ReadCaptions, Track, WantedCaptions } from '../../domain/protocol/protocol.ts'
import { type StoredTranscript, TRANSCRIPT_TYPE } from '../../domain/words/transcript-body.ts'
import { rankCaptions } from '../captions/choose.ts'
import { embeddedCaptions, tracksInFile } from '../captions/embedded/embedded.ts'
import { isUndetermined, languageMatch, normalizeLanguageTag } from '../captions/languages.ts'
import { withAllowance } from '../egress/allowance.ts'
import { SourceFailure } from '../failures.ts'
import { openRendition } from '../media/open-rendition.ts'
import { openLocalFile } from '../source/index/local-file.ts'
import type { CaptionTrack, Source } from '../source/source.ts'
import { uploadText } from '../worker-client.ts'
import { type Candidate, firstWithText, ifRetryable, MAX_TRIES, trackReader } from './caption-candidates.ts'
import type { MediaOnDisk } from './download/download-renditions.ts'
import type { StepContext } from './step.ts'

export interface CaptionTimes {
  durationSeconds: number
  /** What of a transcript belongs to the clip. */
  ofClip?: ((body: Uint8Array) => Promise<StoredTranscript>) | undefined
}

/** One file, or the transcript. */
interface Wish {
  /** null: that of the media. */
  language: string | null
  isTranscript: boolean
  found: { track: CaptionTrack; transcript: StoredTranscript } | null
  failed: FailureCode | null
}

/** All requests for captions together may read this much. */
const MAX_READ_BYTES = 64_000_000
const AT_ONCE = 4
/** How long finished media waits for its captions at most. */
const GRACE_MS = 60_000

/**
 * Starts to read the captions that a job asks for as files, while its step does its main work. They never fail it: a track
 * that cannot be read becomes the code of its file. What the source does not list is looked for inside the file, once that
 * is on the disk.
 */
export const startCaptions = (
  captions: WantedCaptions,
  linked: CaptionTrack[],
  source: Source,
  stepContext: StepContext,
) => {
  const late = new AbortController()
  const signal = AbortSignal.any([stepContext.signal, late.signal])
  const context = { ...stepContext, signal, egress: withAllowance(stepContext.egress, MAX_READ_BYTES) }
  const listed = [...linked, ...source.captions]
  const candidatesOf = trackReader(linked, context, { ...stepContext, signal })
  const wishes = wishesFor(captions, listed)

  const fulfil = (
    atOnce: number,
    tracks: CaptionTrack[],
    spoken: string | null,
    candidates: (ranked: CaptionTrack[]) => Candidate[],
  ) =>
    lanes(
      atOnce,
      wishes.filter(({ found }) => !found),
      async (wish) => {
        const outcome = await orFailed(firstWithText(candidates(matching(wish, tracks, spoken)), context))
        wish.found = outcome.found
        wish.failed ??= outcome.failed
      },
    )
  const orFailed = (reading: ReturnType<typeof firstWithText>) =>
    reading.catch((error: unknown) => {
      stepContext.signal.throwIfAborted()
      const reason: unknown = signal.aborted ? signal.reason : error
      context.log('captions failed', { reason: `${reason}` })
      return { found: null, failed: reason instanceof SourceFailure ? reason.code : ('INTERNAL' as const) }
    })

  const reading = fulfil(AT_ONCE, listed, spokenIn(source), candidatesOf)
  // Its error, if any, is thrown when it is awaited.
  reading.catch(() => {})

  const finish = async (whole: MediaOnDisk | null, times: CaptionTimes): Promise<ReadCaptions> => {
    const timer = setTimeout(() => late.abort(new SourceFailure('TIMED_OUT')), GRACE_MS)
    try {
      await reading
      const listsNone = captions.files === 'all' && listed.length === 0
      if (listsNone || wishes.some(({ found }) => !found)) {
        // Nothing says that there are captions inside, so a file that cannot be read has none.
        const inside = await tracksInside(source, whole, context).catch(() => [])
        const tracks = inside.map(({ track }) => track)
        if (listsNone) wishes.push(...languagesOf(tracks).map(fileIn))
        const language = normalizeLanguageTag(whole?.file.audio?.language ?? '') ?? spokenIn(source)
        // What is read of the file for one track serves the next.
        await fulfil(1, tracks, language, (ranked) =>
          ranked.slice(0, MAX_TRIES).flatMap((track) => inside.filter((each) => each.track === track)),
        )
      }
      return await upload(wishes, times, stepContext)
    } finally {
      clearTimeout(timer)
    }
  }
  return { candidatesOf, finish }
}

const fileIn = (language: string): Wish => ({ language, isTranscript: false, found: null, failed: null })

const wishesFor = ({ files = [], transcript }: WantedCaptions, listed: CaptionTrack[]): Wish[] => {
  const asked = files === 'all' ? languagesOf(listed) : files.map((tag) => normalizeLanguageTag(tag) ?? tag)
  const wishes = [...new Set(asked)].map(fileIn)
  return transcript ? [...wishes, { ...fileIn(''), language: transcript.language, isTranscript: true }] : wishes
}

/** Of the tracks that are no machine translation. */
const languagesOf = (tracks: CaptionTrack[]): string[] => {
  const readable = new Set(rankCaptions(tracks, { any: true }))
  const tags = tracks
    .filter((track) => readable.has(track))
    .map(({ language }) => normalizeLanguageTag(language) ?? 'und')
  return [...new Set(tags)].slice(0, MAX_CAPTION_TRACKS)
}

const spokenIn = ({ renditions }: Source): string | null =>
  normalizeLanguageTag(renditions.findLast(({ language }) => language !== null)?.language ?? '')

/** Best first. A track of unknown language must not become the file of a requested one. */
const matching = ({ language, isTranscript }: Wish, tracks: CaptionTrack[], spoken: string | null): CaptionTrack[] => {
  if (isTranscript) return rankCaptions(tracks, { requested: language, spoken })
  const asked = language ?? 'und'
  if (asked === 'und') return rankCaptions(tracks, { any: true }).filter((track) => isUndetermined(track.language))
  return rankCaptions(tracks, { requested: asked }).filter((track) => languageMatch(asked, track.language) > 0)
}

/** Those of the file on the disk, or of the origin's file, of which a clip has downloaded parts only. */
const tracksInside = async (
  { renditions }: Source,
  whole: MediaOnDisk | null,
  context: StepContext & Parameters<typeof embeddedCaptions>[3],
): Promise<Candidate[]> => {
  const [only, ...others] = renditions
  if (whole) {
    const { extension, startSeconds, path, sizeBytes } = whole.file
    const about = { extension, startSeconds, transport: whole.rendition.transport }
    return (await tracksInFile(openLocalFile(path, sizeBytes), about, context.signal)).map(notLinked)
  }
  if (!only || others.length > 0 || only.transport.kind !== 'file') return []
  const opened = await openRendition(only, context)
  return (await embeddedCaptions(only, opened?.file ?? null, { any: true }, context)).map(notLinked)
}

const notLinked = (candidate: Omit<Candidate, 'isLinked'>): Candidate => ({ ...candidate, isLinked: false })

/** All transcripts in one object, each of them once. */
const upload = async (
  wishes: Wish[],
  { durationSeconds, ofClip }: CaptionTimes,
  context: StepContext,
): Promise<ReadCaptions> => {
  const bodies: Uint8Array[] = []
  const ranges = new Map<StoredTranscript, { range: { offset: number; length: number }; stored: StoredTranscript }>()
  let offset = 0
  const rangeOf = async (transcript: StoredTranscript) => {
    const known = ranges.get(transcript)
    if (known) return known
    const stored = ofClip ? await ofClip(transcript.body).catch(() => null) : transcript
    context.signal.throwIfAborted()
    if (!stored) return null
    const added = { range: { offset, length: stored.body.length }, stored }
    bodies.push(stored.body, utf8('\n'))
    offset += stored.body.length + 1
    ranges.set(transcript, added)
    return added
  }
  const made: ReadCaptions = { upload: null, files: [] }
  const add = (track: Track, isTranscript: boolean): void => {
    if (isTranscript) made.transcript = track
    else made.files.push(track)
  }
  for (const { language, isTranscript, found, failed } of wishes) {
    const place = found && (await rangeOf(found.transcript))
    const tag =
      (isTranscript ? null : language) ?? normalizeLanguageTag(found?.track.language ?? '') ?? language ?? 'und'
    if (!found || !place || place.stored.segments === 0) {
      const code = found && !place ? 'SOURCE_UNSUPPORTED' : isTranscript ? ifRetryable(failed) : failed
      add({ language: tag, code: code ?? 'NOT_AT_SOURCE' }, isTranscript)
      continue
    }
    const { body: _, endSeconds: __, ...layout } = place.stored
    const facts = { language: tag, durationSeconds, ...layout }
    add({ language: tag, origin: found.track.kind, range: place.range, facts }, isTranscript)
  }
  if (bodies.length > 0) {
    const options = { kind: 'tracks', contentType: TRANSCRIPT_TYPE } as const
    made.upload = await uploadText(concatenated(...bodies), options, context)
  }
  return made
}
