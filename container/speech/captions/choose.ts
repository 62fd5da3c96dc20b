import type { CaptionTrack } from '../../source/source.ts'
import { isUndetermined, languageMatch } from './languages.ts'

/** Plain text with times first; what can't be read at all is not in the list. */
const formats = ['json3', 'vtt', 'webvtt', 'srt', 'ttml', 'dfxp', 'srv3', 'srv2', 'srv1', 'xml', 'ass', 'ssa', 'mp4']

/** yt-dlp lists these beside the captions: what viewers wrote, not what was said. */
const chats = new Set(['live_chat', 'rechat', 'danmaku', 'comments'])

export interface CaptionWish {
  /** The caller's `language`. */
  wanted?: string | null
  /** What the media is spoken in, where the source says so. */
  spoken?: string | null
}

export const chooseCaptions = (tracks: CaptionTrack[], wish: CaptionWish = {}): CaptionTrack | null =>
  rankCaptions(tracks, wish)[0] ?? null

/**
 * The tracks that answer the wish, best first: by people, then automatic in the language spoken; a machine
 * translation only where its language was asked for. The next one serves when the first can't be had.
 */
export const rankCaptions = (tracks: CaptionTrack[], { wanted, spoken }: CaptionWish = {}): CaptionTrack[] => {
  const original = spoken || tracks.find(({ kind, original }) => kind === 'automatic' && original)?.language
  const language = wanted || original || null
  return tracks
    .map((track) => ({ track, ranks: ranks(track, language, Boolean(wanted)) }))
    .filter((entry): entry is { track: CaptionTrack; ranks: number[] } => entry.ranks !== null)
    .sort((a, b) => compare(b.ranks, a.ranks))
    .map(({ track }) => track)
}

/** Maker, language, format: larger is better. Null for a track that does not answer the wish. */
const ranks = (track: CaptionTrack, language: string | null, asked: boolean): number[] | null => {
  const format = formats.indexOf(track.format.toLowerCase())
  if (format === -1 || chats.has(track.language.toLowerCase())) return null
  const maker = track.kind === 'manual' ? 3 : track.original ? 2 : 1
  if (maker === 1 && !asked) return null
  if (language === null) return [maker, 0, -format]
  const match = languageMatch(language, track.language)
  if (match > 0) return [maker, match, -format]
  // A track that does not say its language is probably the media's own; a named one in its place would be wrong.
  return maker === 3 && isUndetermined(track.language) ? [0, 0, -format] : null
}

const compare = (a: number[], b: number[]): number => {
  const at = a.findIndex((rank, index) => rank !== b[index])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
