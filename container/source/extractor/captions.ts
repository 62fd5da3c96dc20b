import type { CaptionTrack } from '../source.ts'
import type { Info, Located, Tracks } from './answer.ts'
import { transportOf } from './transport.ts'

/** The formats that we read, best first: json3 has the true times, where rolling VTT has to be unrolled.
 * `mp4` is either of VTT and TTML in DASH. */
const readable = ['json3', 'vtt', 'srt', 'ttml', 'dfxp', 'ass', 'ssa', 'mp4']

/** One track for each language and kind. */
export const captionsOf = ({ subtitles, automatic_captions, language }: Info): CaptionTrack[] => {
  const spoken = spokenLanguage(automatic_captions) ?? language
  const isSpoken = (name: string) => spoken === undefined || name === spoken
  const manual = tracks(subtitles).map(({ name, ...track }) => ({
    ...track,
    language: name,
    kind: 'manual' as const,
    // People write en-US where a machine says en.
    original: isSpoken(name) || isSpoken(name.split('-')[0] ?? name),
  }))
  const automatic = tracks(automatic_captions)
    // The same track is listed once more under its plain name.
    .filter(({ name }) => !(`${name}-orig` in automatic_captions))
    .map(({ name, ...track }) => ({
      ...track,
      language: plain(name),
      kind: 'automatic' as const,
      original: isSpoken(plain(name)),
    }))
  return [...manual, ...automatic]
}

/** YouTube lists machine translations into every language beside the one that it heard, `en-orig`. */
const spokenLanguage = (automatic: Tracks): string | undefined => {
  const heard = Object.keys(automatic).find((name) => name.endsWith('-orig'))
  return heard && plain(heard)
}

const plain = (name: string): string => name.replace(/-orig$/, '')

const tracks = (all: Tracks) =>
  Object.entries(all).flatMap(([name, formats]) => {
    const best = formats
      .filter(({ ext }) => name !== 'live_chat' && readable.includes(ext ?? ''))
      .sort((one, other) => rank(one) - rank(other))
      .map((format) => ({ format: format.ext ?? '', transport: transportOf(format) }))
      .find(({ transport }) => transport !== null)
    return best?.transport ? [{ name, format: best.format, transport: best.transport }] : []
  })

const rank = ({ ext }: Located): number => readable.indexOf(ext ?? '')
