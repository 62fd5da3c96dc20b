import type { CaptionsOrder } from '../../domain/protocol/protocol.ts'
import { TRANSCRIPT_TYPE } from '../../domain/words/transcript-body.ts'
import { rankCaptions } from '../captions/choose.ts'
import { embeddedCaptions } from '../captions/embedded/embedded.ts'
import { normalizeLanguageTag } from '../captions/languages.ts'
import { linkedTracks } from '../captions/tracks.ts'
import { withAllowance } from '../egress/allowance.ts'
import { SourceFailure, unlessFailed } from '../failures.ts'
import { openRendition } from '../media/open-rendition.ts'
import { inReader } from '../sandbox/reader.ts'
import { openSource } from '../source/resolve.ts'
import { uploadText } from '../worker-client.ts'
import { attempt, type Candidate, firstWithText, ifRetryable, MAX_TRIES, trackReader } from './caption-candidates.ts'
import { startCaptions } from './caption-files.ts'
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
import { type StepContext, type StepFunction, untilItEnds } from './step.ts'

/** The step is free when it finds nothing, so all its requests together may read this much. Most sources take less than 2 MB. */
const MAX_READ_BYTES = 32_000_000

/**
 * Looks at the tracks that the source lists or its feed names, then at those embedded in the media file. The best track that
 * can be read and is not empty is used. Captions that the source has but that cannot be fetched now are reported as
 * `withheld`, so that the caller may retry instead of paying for speech recognition. A transcript that a feed names counts
 * as none if it cannot be read.
 */
export const findCaptions: StepFunction<CaptionsOrder> = (order, context) =>
  untilItEnds(context, (running) => findAll(order, running))

const findAll: StepFunction<CaptionsOrder> = async (order, stepContext) => {
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
  const captionFiles = order.files && startCaptions({ files: order.files }, linked, source, stepContext)
  const candidatesOf = captionFiles?.candidatesOf ?? trackReader(linked, context, stepContext)
  const candidates = async function* (): AsyncGenerator<Candidate> {
    yield* candidatesOf(listed)
    if (!rendition) return
    const peeked = (await opening)?.file ?? null
    const inside = await attempt(
      () => embeddedCaptions(rendition, peeked, { requested: order.language }, context),
      {},
      context,
    )
    // Without the index, nothing says that there are captions. So its failure does not count as withheld.
    for (const each of inside.value?.slice(0, MAX_TRIES) ?? []) yield { ...each, isLinked: false }
  }
  const { found, failed } = await firstWithText(candidates(), context)
  const opened = await opening
  const ofMedia = lengthOf(statedSeconds, opened)
  const { clip } = order
  const length = clip ? lengthOfClip(clip, ofMedia) : ofMedia
  const ofClip = clip && ((body: Uint8Array) => read('clipTranscript', [body, clip], context.signal))
  const transcript = found && ofClip ? await ofClip(found.transcript.body) : found?.transcript
  const durationSeconds = (ofMedia.isEstimate ? null : ofMedia.seconds) ?? found?.transcript.endSeconds ?? 0
  const tracks = await captionFiles?.finish(null, { durationSeconds, ofClip })
  const beside = { ...(tracks && { tracks }), ...(order.about && { about: source.about }) }
  if (!found || !transcript || transcript.segments === 0) {
    const sound = rendition && (await soundOf({ source, rendition, order, statedSeconds, opened, length }, context))
    const quote = { ...durationOf(sound?.length ?? unknownLength), audioBytes: sound?.bytes ?? null }
    return { step: 'captions', transcript: null, facts: null, ...quote, ...beside, withheld: ifRetryable(failed) }
  }
  const { track } = found
  const chapters = await chaptersOf(order.linked, source, ofMedia.seconds, context)
  const { body, endSeconds, ...facts } = transcript
  const media = {
    language: normalizeLanguageTag(track.language) ?? order.language ?? 'und',
    // The end of the last caption is exact, an estimate is not.
    durationSeconds,
  }
  return {
    step: 'captions',
    transcript: await uploadText(body, { kind: 'transcript', contentType: TRANSCRIPT_TYPE }, context),
    facts: { ...media, ...facts },
    ...durationOf(length),
    ...beside,
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
