import { type FailureCode, failures } from '../../domain/codes/failures.ts'
import type { CaptionsOrder } from '../../domain/protocol/protocol.ts'
import { type StoredTranscript, TRANSCRIPT_TYPE } from '../../domain/words/transcript-body.ts'
import { rankCaptions } from '../captions/choose.ts'
import { embeddedCaptions } from '../captions/embedded/embedded.ts'
import { normalizeLanguageTag } from '../captions/languages.ts'
import { linkedTracks, readTrack, withLinkedLimits } from '../captions/tracks.ts'
import { withAllowance } from '../egress/allowance.ts'
import { SourceFailure, unlessFailed } from '../failures.ts'
import { openRendition } from '../media/open-rendition.ts'
import { inReader } from '../sandbox/reader.ts'
import { openSource } from '../source/resolve.ts'
import type { CaptionTrack } from '../source/source.ts'
import { uploadText } from '../worker-client.ts'
import { chaptersOf, titleAndChapters } from './chapters.ts'
import {
  type AudioClipRequest,
  audioRendition,
  findAudio,
  hasSound,
  type KnownAudio,
  type Length,
  lengthOf,
  lengthOfClip,
  planAudioClip,
  unknownLength,
} from './download/known-audio.ts'
import type { StepContext, StepFunction } from './step.ts'

/** The step is free when it finds nothing, so all its requests together may read this much. Most sources take less than 2 MB. */
const MAX_READ_BYTES = 32_000_000

/**
 * Looks at the tracks that the source lists or its feed names, then at those embedded in the media file. The best track that
 * can be read and is not empty is used. Captions that the source has but that cannot be fetched now are reported as
 * `withheld`, so that the caller may retry instead of paying for speech recognition. A transcript that a feed names counts
 * as none if it cannot be read.
 */
export const findCaptions: StepFunction<CaptionsOrder> = async (order, stepContext) => {
  const egress = withAllowance(stepContext.egress, MAX_READ_BYTES)
  const context = { ...stepContext, egress }
  const source = await openSource(order, context)
  if (source.isLive) throw new SourceFailure('SOURCE_LIVE')
  // A source without audio may still have captions.
  const rendition = unlessFailed(() => audioRendition(source), source.renditions[0] ?? null)
  const spoken = normalizeLanguageTag(rendition?.language ?? '')
  const linked = linkedTracks(order.linked)
  const listed = rankCaptions([...linked, ...source.captions], { requested: order.language, spoken })
  const statedSeconds = source.durationSeconds ?? order.stored?.durationSeconds ?? null
  // Most pages do not state a duration, so the media is opened while the captions are fetched.
  const mayHaveInside = listed.length === 0 && rendition?.transport.kind === 'file'
  const isOpened = rendition !== null && (statedSeconds === null || mayHaveInside)
  const opening = isOpened ? openRendition(rendition, context) : Promise.resolve(undefined)
  opening.catch(() => {})
  const candidates = async function* (): AsyncGenerator<Candidate> {
    yield* listedCandidates(listed, linked, context, stepContext)
    if (!rendition) return
    const peeked = (await opening)?.file ?? null
    const inside = await attempt(() => embeddedCaptions(rendition, peeked, order.language, context), {}, context)
    // Without the index, nothing says that there are captions. So its failure does not count as withheld.
    for (const each of inside.value?.slice(0, MAX_TRIES) ?? []) yield { ...each, isLinked: false }
  }
  const { found, withheld } = await firstWithText(candidates(), context)
  const opened = await opening
  const ofMedia = lengthOf(statedSeconds, opened)
  const { clip } = order
  const length = clip ? lengthOfClip(clip, ofMedia) : ofMedia
  const transcript =
    found && clip ? await read('clipTranscript', [found.transcript.body, clip], context.signal) : found?.transcript
  if (!found || !transcript || transcript.segments === 0) {
    const sound = rendition && (await soundOf({ source, rendition, order, statedSeconds, opened, length }, context))
    const quote = { ...durationOf(sound?.length ?? unknownLength), audioBytes: sound?.bytes ?? null }
    return { step: 'captions', transcript: null, facts: null, ...quote, withheld }
  }
  const { track } = found
  const chapters = await chaptersOf(order.linked, source, ofMedia.seconds, context)
  const { body, endSeconds, ...facts } = transcript
  const media = {
    language: normalizeLanguageTag(track.language) ?? order.language ?? 'und',
    // The end of the last caption is exact, an estimate is not.
    durationSeconds: (ofMedia.isEstimate ? null : ofMedia.seconds) ?? found.transcript.endSeconds,
  }
  return {
    step: 'captions',
    transcript: await uploadText(body, { kind: 'transcript', contentType: TRANSCRIPT_TYPE }, context),
    facts: { ...media, ...facts },
    ...durationOf(length),
    ...titleAndChapters(order, { ...source, chapters }, opened?.file ?? null),
  }
}

const read = inReader<typeof import('../captions/read.ts')>(new URL('../captions/read.ts', import.meta.url))

const durationOf = ({ seconds, isEstimate }: Length) => ({
  durationSeconds: seconds,
  ...(isEstimate && { durationIsEstimate: true }),
})

interface SoundRequest extends Omit<AudioClipRequest, 'clip' | 'limits'> {
  order: CaptionsOrder
  length: Length
}

/** What speech recognition would download and hear, for the quote. null: the source has no sound. */
const soundOf = async ({ order, length, ...request }: SoundRequest, context: StepContext) => {
  const { rendition, statedSeconds, opened } = request
  if (!hasSound(rendition, opened)) return null
  const { clip } = order
  if (!clip) return withBytes(await findAudio(rendition, statedSeconds, context, opened))
  const limits = { ...order.limits, maxDurationSeconds: Number.POSITIVE_INFINITY }
  try {
    const { known } = await planAudioClip({ ...request, clip, limits }, context)
    return withBytes(known)
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof SourceFailure && error.code !== 'CLIP_OUT_OF_RANGE') return { length, bytes: null }
    throw error
  }
}

const withBytes = ({ length, size }: KnownAudio) => ({ length, bytes: size.bytes })

interface Candidate {
  track: CaptionTrack
  isLinked: boolean
  read(): Promise<StoredTranscript>
}

/** A source may list the same captions a hundred times, and none of them may be readable. A feed's captions count apart. */
const MAX_TRIES = 5

const listedCandidates = (
  listed: CaptionTrack[],
  linked: CaptionTrack[],
  context: StepContext,
  stepContext: StepContext,
): Candidate[] => {
  let forLinked: StepContext | undefined
  const readLinked = (track: CaptionTrack) => {
    forLinked ??= withLinkedLimits(stepContext)
    return readTrack(track, forLinked)
  }
  const left = { linked: MAX_TRIES, ofSource: MAX_TRIES }
  return listed.flatMap((track): Candidate[] => {
    const isLinked = linked.includes(track)
    if (left[isLinked ? 'linked' : 'ofSource']-- <= 0) return []
    return [{ track, isLinked, read: () => (isLinked ? readLinked(track) : readTrack(track, context)) }]
  })
}

const firstWithText = async (candidates: AsyncIterable<Candidate>, context: StepContext) => {
  /** The failure that kept the best track from us, if a retry may succeed. */
  let withheld: FailureCode | null = null
  for await (const { track, isLinked, read } of candidates) {
    const attempted = await attempt(read, { language: track.language, kind: track.kind }, context)
    if (attempted.value && attempted.value.segments > 0)
      return { found: { track, transcript: attempted.value }, withheld }
    if (!isLinked) withheld ??= attempted.withheld
  }
  return { found: null, withheld }
}

const attempt = async <T>(work: () => Promise<T>, fields: object, { signal, log }: StepContext) => {
  try {
    return { value: await work(), withheld: null }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof SourceFailure)) throw error
    log('captions not readable', { ...fields, reason: error.message })
    return { value: null, withheld: failures[error.code].retryable ? error.code : null }
  }
}
