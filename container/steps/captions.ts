import { type FailureCode, failures } from '../../worker/domain/codes/failures.ts'
import type { Segment } from '../../worker/domain/words/segment.ts'
import type { CaptionsOrder } from '../protocol.ts'
import { SourceFailure } from '../source/failure.ts'
import { resolve } from '../source/resolve.ts'
import type { CaptionTrack, Rendition, Source } from '../source/source.ts'
import { rankCaptions } from '../speech/captions/choose.ts'
import { CaptionsTooLarge } from '../speech/captions/cue.ts'
import { plainTag } from '../speech/captions/languages.ts'
import type { Step, StepContext } from './step.ts'
import { embeddedCaptions, type Film } from './words/embedded.ts'
import { bytesOf, lookInto, soundOf } from './words/look.ts'
import { readTrack } from './words/track.ts'
import { uploadTranscript } from './words/transcript.ts'

/**
 * Words that somebody else has written already: the tracks that the source lists, else those inside the film.
 * The best one that can be had and says something is taken. Nothing of it counts as a download. Captions that
 * are there and do not come are told apart from none: the caller may try again instead of paying for speech.
 */
export const findCaptions: Step<CaptionsOrder> = async (order, context) => {
  const { egress, extractor, signal } = context
  const source = await resolve(order.url, egress, extractor, signal)
  if (source.isLive) throw new SourceFailure('SOURCE_LIVE')
  const film = soundIn(source)
  const listed = rankCaptions(source.captions, { wanted: order.language, spoken: plainTag(film?.language ?? '') })
  // Most pages don't say how long their video is. It is asked while the captions come.
  const needsLook = source.durationSeconds === null || listed.length === 0
  const looking = needsLook && film ? lookInto(film, context) : Promise.resolve(null)
  looking.catch(() => {})
  const ofSource = await firstWithWords(listed.map(listedTrack(context)), context)
  const ofFilm = ofSource.found ? null : await firstWithWords(embedded(film, await looking, order, context), context)
  const found = ofSource.found ?? ofFilm?.found
  const peeked = await looking
  const durationSeconds = source.durationSeconds ?? peeked?.durationSeconds ?? null
  const audioBytes = film && bytesOf(film, peeked, durationSeconds)
  if (!found) {
    const withheld = ofSource.withheld ?? ofFilm?.withheld ?? null
    return { step: 'captions', transcript: null, facts: null, durationSeconds, audioBytes, withheld }
  }
  const { segments, track } = found
  const words = {
    segments,
    language: plainTag(track.language) ?? order.language ?? 'und',
    durationSeconds: durationSeconds ?? segments.at(-1)?.end ?? 0,
  }
  return { step: 'captions', ...(await uploadTranscript(words, context)), durationSeconds }
}

/** A silent film may have subtitles; only its words are asked for here. */
const soundIn = (source: Source): Rendition | null => {
  try {
    return soundOf(source)
  } catch (error) {
    if (error instanceof SourceFailure) return source.renditions[0] ?? null
    throw error
  }
}

interface Candidate {
  track: CaptionTrack
  read(): Promise<Segment[]>
}

const listedTrack =
  (context: StepContext) =>
  (track: CaptionTrack): Candidate => ({ track, read: () => readTrack(track, context) })

const embedded = (
  rendition: Rendition | null,
  peeked: Film['peeked'] | null,
  { language }: CaptionsOrder,
  context: StepContext,
): Candidate[] => (rendition && peeked ? embeddedCaptions({ rendition, peeked }, language, context) : [])

/** A source may list the same words in a hundred ways, none of which can be had. */
const MAX_TRIES = 5

/** `withheld` is why the best of those that another try may bring did not come. */
const firstWithWords = async (candidates: Candidate[], { signal, log }: StepContext) => {
  let withheld: FailureCode | null = null
  for (const { track, read } of candidates.slice(0, MAX_TRIES)) {
    try {
      const segments = await read()
      if (segments.length > 0) return { found: { track, segments }, withheld }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof SourceFailure || error instanceof CaptionsTooLarge)) throw error
      log('captions not had', { language: track.language, kind: track.kind, reason: error.message })
      if (error instanceof SourceFailure && failures[error.code].retryable) withheld ??= error.code
    }
  }
  return { found: null, withheld }
}
