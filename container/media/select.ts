import type { Selection } from '../protocol.ts'
import { SourceFailure } from '../source/failure.ts'
import type { Rendition } from '../source/source.ts'
import { fitsOneContainer } from './containers.ts'

/** What to download: one file that holds all that is wanted, or a picture and a sound to be merged. */
export interface Choice {
  video: Rendition | null
  audio: Rendition | null
  muxed: Rendition | null
}

/** Which renditions answer the caller's wish; throws when the source cannot. */
export const select = (renditions: Rendition[], selection: Selection): Choice => {
  if (renditions.length === 0) throw new SourceFailure('SOURCE_NOT_FOUND')
  if (!selection.includeVideo) return soundOnly(renditions, selection)
  if (!selection.includeAudio) return pictureOnly(renditions, selection)
  return pictureAndSound(renditions, selection)
}

/** The renditions to download, in the order in which they are merged. */
export const chosen = (choice: Choice): Rendition[] =>
  [choice.muxed, choice.video, choice.audio].filter((rendition) => rendition !== null)

const nothing: Choice = { video: null, audio: null, muxed: null }
const isSound = (rendition: Rendition) => rendition.videoCodec === null && rendition.audioCodec !== null
const isPicture = (rendition: Rendition) => rendition.videoCodec !== null && rendition.audioCodec === null
const isMuxed = (rendition: Rendition) => rendition.videoCodec !== null && rendition.audioCodec !== null

/** Spec, rule 8: without a separate audio stream the smallest video is downloaded and its audio kept. */
const soundOnly = (renditions: Rendition[], selection: Selection): Choice => {
  const audio = bestSound(renditions.filter(isSound), selection, null)
  if (audio) return { ...nothing, audio }
  const muxed = smallestFirst(renditions.filter(isMuxed))[0]
  if (!muxed) throw new SourceFailure('NO_AUDIO')
  return { ...nothing, muxed }
}

const pictureOnly = (renditions: Rendition[], selection: Selection): Choice => {
  const picture = bestPicture(
    renditions.filter((rendition) => rendition.videoCodec !== null),
    selection,
    (a, b) => Number(isMuxed(a)) - Number(isMuxed(b)),
  )
  if (!picture) throw new SourceFailure('NO_VIDEO')
  return isMuxed(picture) ? { ...nothing, muxed: picture } : { ...nothing, video: picture }
}

/** Both are wanted, so far as the source has both: a silent film and a song are imported as they are. */
const pictureAndSound = (renditions: Rendition[], selection: Selection): Choice => {
  const sounds = renditions.filter(isSound)
  const muxed = renditions.filter(isMuxed)
  const pictures = renditions.filter(isPicture)
  const withSound = sounds.length > 0 ? [...pictures, ...muxed] : muxed
  const picture = bestPicture(withSound.length > 0 ? withSound : pictures, selection, (a, b) =>
    sounds.length > 0 ? mergeable(b, sounds) - mergeable(a, sounds) : 0,
  )
  if (!picture) return { ...nothing, audio: bestSound(sounds, selection, null) }
  if (isMuxed(picture)) return { ...nothing, muxed: picture }
  return { ...nothing, video: picture, audio: bestSound(sounds, selection, picture) }
}

const wantedLines = (quality: Selection['videoQuality']): number => {
  if (quality === 'best') return Number.POSITIVE_INFINITY
  return quality === 'lowest' ? 0 : Number.parseInt(quality, 10)
}

/** Upright films are named by their shorter side too: 1080×1920 is "1080p". */
const lines = ({ width, height }: Rendition): number =>
  width !== null && height !== null ? Math.min(width, height) : (height ?? 0)

type Order = (a: Rendition, b: Rendition) => number

const bestPicture = (candidates: Rendition[], selection: Selection, prefer: Order): Rendition | null => {
  const wanted = wantedLines(selection.videoQuality)
  const below = candidates.filter((rendition) => lines(rendition) <= wanted)
  const smallest = selection.videoQuality === 'lowest' || below.length === 0
  const height = smallest ? Math.min(...candidates.map(lines)) : Math.max(...below.map(lines))
  const level = candidates.filter((rendition) => lines(rendition) === height)
  const ranked = smallest ? smallestFirst(level) : level.toSorted(byWorth)
  return ranked.toSorted((a, b) => prefer(a, b) || h264First(a, b))[0] ?? null
}

const KILOBITS = { lowest: 48, low: 96, medium: 160, high: 256, best: Number.POSITIVE_INFINITY } as const

/** The language that the source puts first is kept: a dubbed track never wins by its bitrate. */
const bestSound = (sounds: Rendition[], selection: Selection, picture: Rendition | null): Rendition | null => {
  const first = sounds.toSorted((a, b) => b.preference - a.preference)[0]
  const spoken = sounds.filter((sound) => sound.language === first?.language)
  const fitting = picture ? spoken.filter((sound) => fitsOneContainer(picture, sound)) : []
  const candidates = ofTier(fitting.length > 0 ? fitting : spoken, selection)
  const wanted = KILOBITS[selection.audioQuality] * 1000
  const below = candidates.filter((sound) => soundBitrate(sound) <= wanted)
  if (below.length > 0) return below.toSorted((a, b) => soundBitrate(b) - soundBitrate(a) || byWorth(a, b))[0] ?? null
  return candidates.toSorted((a, b) => soundBitrate(a) - soundBitrate(b) || byWorth(a, b))[0] ?? null
}

const LEVELS = Object.keys(KILOBITS)

/** Where nobody says a bitrate, the source's own order of its sounds is cut into the five qualities. */
const ofTier = (candidates: Rendition[], { audioQuality }: Selection): Rendition[] => {
  if (candidates.some((sound) => soundBitrate(sound) > 0)) return candidates
  const tiers = [...new Set(candidates.map(({ tier = 0 }) => tier))].toSorted((a, b) => a - b)
  const wanted = tiers[Math.round(((tiers.length - 1) * LEVELS.indexOf(audioQuality)) / (LEVELS.length - 1))]
  return candidates.filter(({ tier = 0 }) => tier === wanted)
}

const soundBitrate = ({ audioBitrate, bitrate }: Rendition): number => audioBitrate ?? bitrate ?? 0

const mergeable = (picture: Rendition, sounds: Rendition[]): number =>
  isMuxed(picture) || sounds.some((sound) => fitsOneContainer(picture, sound)) ? 1 : 0

/** Every player knows it. Among pictures of one height that outweighs a newer codec. */
const h264First: Order = (a, b) => Number(isH264(b)) - Number(isH264(a))
const isH264 = ({ videoCodec }: Rendition) => /^(avc|h\.?264)/i.test(videoCodec ?? '')

const byWorth: Order = (a, b) => b.preference - a.preference || (b.bitrate ?? 0) - (a.bitrate ?? 0)

/** By size where all have one, else by bitrate, else by lines: one scale for all, or the order would have cycles. */
const smallestFirst = (candidates: Rendition[]): Rendition[] => {
  const measures = [(one: Rendition) => one.sizeBytes, (one: Rendition) => one.bitrate, lines]
  const measure = measures.find((known) => candidates.every((one) => known(one) !== null)) ?? lines
  return candidates.toSorted((a, b) => (measure(a) ?? 0) - (measure(b) ?? 0))
}
