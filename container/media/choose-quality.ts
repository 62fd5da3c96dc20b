import type { Selection } from '../../domain/protocol/protocol.ts'
import { SourceFailure } from '../failures.ts'
import type { Rendition } from '../source/source.ts'
import { fitsOneContainer, fitsOneContainerWithAny } from './containers.ts'

/**
 * Returns one file, or a video stream and an audio stream in the order in which they are merged. Throws NO_AUDIO or
 * NO_VIDEO when the source lacks what was requested.
 */
export const chooseRenditions = (renditions: Rendition[], selection: Selection): Rendition[] => {
  if (renditions.length === 0) throw new SourceFailure('SOURCE_NOT_FOUND')
  if (!selection.includeVideo) return [chooseAudioOnly(renditions, selection)]
  if (!selection.includeAudio) return [chooseVideoOnly(renditions, selection)]
  return chooseVideoAndAudio(renditions, selection)
}

const isAudioOnly = (rendition: Rendition) => rendition.videoCodec === null && rendition.audioCodec !== null
const isVideoOnly = (rendition: Rendition) => rendition.videoCodec !== null && rendition.audioCodec === null
const isMuxed = (rendition: Rendition) => rendition.videoCodec !== null && rendition.audioCodec !== null

/** Spec, rule 8: without a separate audio stream, the smallest video is downloaded and its audio kept. */
const chooseAudioOnly = (renditions: Rendition[], selection: Selection): Rendition => {
  const audio = bestAudio(renditions.filter(isAudioOnly), selection, null)
  const muxed = renditions.filter(isMuxed)
  const chosen = audio ?? first(muxed, smallestFirst(muxed))
  if (!chosen) throw new SourceFailure('NO_AUDIO')
  return chosen
}

const chooseVideoOnly = (renditions: Rendition[], selection: Selection): Rendition => {
  const video = bestVideo(
    renditions.filter((rendition) => rendition.videoCodec !== null),
    selection,
    (a, b) => Number(isMuxed(a)) - Number(isMuxed(b)),
  )
  if (!video) throw new SourceFailure('NO_VIDEO')
  return video
}

const chooseVideoAndAudio = (renditions: Rendition[], selection: Selection): Rendition[] => {
  const audios = renditions.filter(isAudioOnly)
  const muxed = renditions.filter(isMuxed)
  const videos = renditions.filter(isVideoOnly)
  const withAudio = audios.length > 0 ? [...videos, ...muxed] : muxed
  const hasFittingAudio = fitsOneContainerWithAny(audios)
  const mergeable = (one: Rendition) => Number(isMuxed(one) || hasFittingAudio(one))
  const video = bestVideo(withAudio.length > 0 ? withAudio : videos, selection, (a, b) =>
    audios.length > 0 ? mergeable(b) - mergeable(a) : 0,
  )
  if (video && isMuxed(video)) return [video]
  return [video, bestAudio(audios, selection, video)].filter((rendition) => rendition !== null)
}

const requestedLines = (quality: Selection['videoQuality']): number => {
  if (quality === 'best') return Number.POSITIVE_INFINITY
  return quality === 'lowest' ? 0 : Number.parseInt(quality, 10)
}

/** Portrait videos are named by their shorter side too: 1080×1920 is "1080p". */
const lines = ({ width, height }: Rendition): number =>
  width !== null && height !== null ? Math.min(width, height) : (height ?? 0)

type Comparison = (a: Rendition, b: Rendition) => number

/** What a stable sort would put first. A source may list thousands, so nothing is sorted. */
const first = (candidates: Rendition[], compare: Comparison): Rendition | null =>
  candidates.reduce<Rendition | null>((best, each) => (best && compare(best, each) <= 0 ? best : each), null)

/** The highest resolution up to the requested one, else the lowest above it. `prefer` decides within a resolution. */
const bestVideo = (candidates: Rendition[], selection: Selection, prefer: Comparison): Rendition | null => {
  const requested = requestedLines(selection.videoQuality)
  const upToRequested = candidates.filter((rendition) => lines(rendition) <= requested)
  const smallest = selection.videoQuality === 'lowest' || upToRequested.length === 0
  const height = smallest ? Math.min(...candidates.map(lines)) : Math.max(...upToRequested.map(lines))
  const ofHeight = candidates.filter((rendition) => lines(rendition) === height)
  const bySize = smallest ? smallestFirst(ofHeight) : byPreference
  return first(ofHeight, (a, b) => prefer(a, b) || h264First(a, b) || bySize(a, b))
}

const MAX_AUDIO_KBPS = { lowest: 48, low: 96, medium: 160, high: 256, best: Number.POSITIVE_INFINITY } as const

/** Keeps the language that the source prefers: a dubbed track must not win by its bitrate. */
const bestAudio = (audios: Rendition[], selection: Selection, video: Rendition | null): Rendition | null => {
  const preferred = first(audios, (a, b) => b.preference - a.preference)
  const sameLanguage = audios.filter((audio) => audio.language === preferred?.language)
  const fitting = video ? sameLanguage.filter((audio) => fitsOneContainer(video, audio)) : []
  const candidates = inTier(fitting.length > 0 ? fitting : sameLanguage, selection)
  const maxBitrate = MAX_AUDIO_KBPS[selection.audioQuality] * 1000
  const below = candidates.filter((audio) => bitrateOf(audio) <= maxBitrate)
  if (below.length > 0) return first(below, (a, b) => bitrateOf(b) - bitrateOf(a) || byPreference(a, b))
  return first(candidates, (a, b) => bitrateOf(a) - bitrateOf(b) || byPreference(a, b))
}

const AUDIO_QUALITIES = Object.keys(MAX_AUDIO_KBPS)

/** When no bitrate is known, the five qualities are spread over the tiers that the source gives its audio streams. */
const inTier = (candidates: Rendition[], { audioQuality }: Selection): Rendition[] => {
  if (candidates.some((audio) => bitrateOf(audio) > 0)) return candidates
  const tiers = [...new Set(candidates.map(({ tier = 0 }) => tier))].toSorted((a, b) => a - b)
  const position = AUDIO_QUALITIES.indexOf(audioQuality) / (AUDIO_QUALITIES.length - 1)
  const requested = tiers[Math.round((tiers.length - 1) * position)]
  return candidates.filter(({ tier = 0 }) => tier === requested)
}

const bitrateOf = ({ audioBitrate, bitrate }: Rendition): number => audioBitrate ?? bitrate ?? 0

/** Every player supports H.264. At the same resolution this outweighs a newer codec. */
const h264First: Comparison = (a, b) => Number(isH264(b)) - Number(isH264(a))
const isH264 = ({ videoCodec }: Rendition) => /^(avc|h\.?264)/i.test(videoCodec ?? '')

const byPreference: Comparison = (a, b) => b.preference - a.preference || (b.bitrate ?? 0) - (a.bitrate ?? 0)

/** By size if all sizes are known, else by bitrate, else by lines. Mixing measures would make the order cyclic. */
const smallestFirst = (candidates: Rendition[]): Comparison => {
  const measures = [(one: Rendition) => one.sizeBytes, (one: Rendition) => one.bitrate, lines]
  const measure = measures.find((known) => candidates.every((one) => known(one) !== null)) ?? lines
  return (a, b) => (measure(a) ?? 0) - (measure(b) ?? 0)
}
