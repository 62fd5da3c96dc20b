import type { CaptionPart, CaptionTrack } from '../source.ts'
import type { Info, Located, Tracks } from './extractor-answer.ts'
import type { ReadTransport } from './transport.ts'

/**
 * The supported formats, best first: json3 has exact times, while rolling VTT repeats lines that must be merged.
 * `mp4` is VTT or TTML in DASH.
 */
export const captionFormats = ['json3', 'vtt', 'srt', 'ttml', 'dfxp', 'ass', 'ssa', 'mp4']

/** One track for each language and kind. */
export const captionsOf = (
  { subtitles, automatic_captions, language }: Info,
  readTransport: ReadTransport,
): CaptionTrack[] => {
  const spoken = spokenLanguage(automatic_captions) ?? language
  const isSpoken = (name: string) => spoken === undefined || name === spoken
  const manual = tracks(subtitles, readTransport).map((track) => ({
    ...track,
    kind: 'manual' as const,
    // Manual tracks are often labeled en-US where the automatic one is labeled en.
    original: isSpoken(track.language) || isSpoken(track.language.split('-')[0] ?? ''),
  }))
  const automatic = tracks(automatic_captions, readTransport)
    // The original track is also listed without the suffix -orig.
    .filter(({ language }) => !(`${language}-orig` in automatic_captions))
    .map(({ language: name, ...track }) => {
      const language = withoutSuffix(name)
      return { ...track, language, kind: 'automatic' as const, original: isSpoken(language) }
    })
  return [...manual, ...automatic].slice(0, maxTracks)
}

/** YouTube lists about 300. */
const maxTracks = 2_000
const maxLanguageCharacters = 100

/** YouTube lists machine translations into every language. Only the recognized language has the suffix -orig (`en-orig`). */
const spokenLanguage = (automatic: Tracks): string | undefined => {
  const original = Object.keys(automatic).find((name) => name.endsWith('-orig'))
  return original && withoutSuffix(original)
}

const withoutSuffix = (name: string): string => name.replace(/-orig$/, '')

const tracks = (all: Tracks, readTransport: ReadTransport) =>
  Object.entries(all).flatMap(([language, formats]) => {
    if (language === 'live_chat' || language.length > maxLanguageCharacters) return []
    // Only DASH has periods. Elsewhere all formats are alternatives with the same text.
    const periods = Map.groupBy(formats, ({ period = 0 }) => period)
    const [first, ...later] = [...periods.values()].flatMap((alternatives) => best(alternatives, readTransport))
    return first ? [{ language, ...first, ...(later.length > 0 && { later }) }] : []
  })

const best = (formats: Located[], readTransport: ReadTransport): (CaptionPart & { format: string })[] => {
  const ranked = formats
    .filter(({ ext }) => captionFormats.includes(ext ?? ''))
    .sort((one, other) => rank(one) - rank(other))
  for (const located of ranked) {
    const transport = readTransport(located)
    const { ext = '', shift } = located
    if (transport) return [{ format: ext, transport, ...(shift !== undefined && { shiftSeconds: shift }) }]
  }
  return []
}

const rank = ({ ext }: Located): number => captionFormats.indexOf(ext ?? '')
