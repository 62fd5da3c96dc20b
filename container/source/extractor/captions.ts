import type { CaptionPart, CaptionTrack } from '../source.ts'
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
    if (name === 'live_chat') return []
    const [first, ...later] = [...byPeriod(formats).values()].flatMap(best)
    return first ? [{ name, ...first, ...(later.length > 0 && { later }) }] : []
  })

/** Only DASH has periods: everywhere else all are ways to have the same words. */
const byPeriod = (formats: Located[]): Map<number, Located[]> => Map.groupBy(formats, ({ period = 0 }) => period)

const best = (formats: Located[]): (CaptionPart & { format: string })[] =>
  formats
    .filter(({ ext }) => readable.includes(ext ?? ''))
    .sort((one, other) => rank(one) - rank(other))
    .flatMap((located) => {
      const transport = transportOf(located)
      const { ext = '', shift } = located
      return transport ? [{ format: ext, transport, ...(shift !== undefined && { shiftSeconds: shift }) }] : []
    })
    .slice(0, 1)

const rank = ({ ext }: Located): number => readable.indexOf(ext ?? '')
