import { captionFormats } from '../source/extractor/describe.ts'
import type { CaptionTrack } from '../source/source.ts'
import { isUndetermined, languageMatch } from './languages.ts'

/** Those of feeds come last: `json` may have a segment for each word, and `html` has the times of paragraphs. */
const formats = [...captionFormats, 'json', 'html']

/** yt-dlp lists viewers' comments as caption tracks under these names. */
const chats = new Set(['live_chat', 'rechat', 'danmaku', 'comments'])

export interface CaptionPreference {
  requested?: string | null
  /** The language spoken in the media, if the source states it. */
  spoken?: string | null
  /** Tracks of any language match. */
  any?: boolean
}

/** The tracks that match, best first. Machine translations are included only if their language was requested. */
export const rankCaptions = (
  tracks: CaptionTrack[],
  { requested, spoken, any = false }: CaptionPreference = {},
): CaptionTrack[] => {
  const original = spoken || tracks.find(({ kind, original }) => kind === 'automatic' && original)?.language
  const language = any ? null : requested || original || null
  return tracks
    .map((track) => ({ track, ranks: ranks(track, language, Boolean(requested)) }))
    .filter((entry): entry is { track: CaptionTrack; ranks: number[] } => entry.ranks !== null)
    .sort((a, b) => compare(b.ranks, a.ranks))
    .map(({ track }) => track)
}

/** Origin, language, format: larger is better. null for a track that does not match. */
const ranks = (track: CaptionTrack, language: string | null, isRequested: boolean): number[] | null => {
  const format = formats.indexOf(track.format.toLowerCase())
  if (format === -1 || chats.has(track.language.toLowerCase())) return null
  const origin = track.kind === 'manual' ? 3 : track.original ? 2 : 1
  if (origin === 1 && !isRequested) return null
  if (language === null) return [origin, 0, -format]
  const match = languageMatch(language, track.language)
  if (match > 0) return [origin, match, -format]
  // A manual track without a language is probably in the media's own. A track in another language would be wrong.
  return origin === 3 && isUndetermined(track.language) ? [0, 0, -format] : null
}

const compare = (a: number[], b: number[]): number => {
  const at = a.findIndex((rank, index) => rank !== b[index])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
