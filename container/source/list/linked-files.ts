import type { LinkedFile, LinkedFiles } from '../../../domain/protocol/protocol.ts'
import type { FeedItem } from './parse-feed.ts'

/** The transcripts and chapters that can be read (https://podcasting2.org/docs/podcast-namespace). */
export const linkedFilesOf = (
  { transcripts, chapters }: Pick<FeedItem, 'transcripts' | 'chapters'>,
  linkOf: (text: string) => string | null,
): LinkedFiles | undefined => {
  const found = transcripts.flatMap(({ url, type, language }): LinkedFile[] => {
    const link = linkOf(url)
    const format = link && (formatOfType(type) ?? formatOfName(link))
    return link && format ? [{ url: link, format, language: languageOf(language) }] : []
  })
  const best = found.toSorted((one, other) => rank(one) - rank(other))
  const kept = within(MAX_CHARACTERS, best)
  const chaptersUrl = chapters === '' ? null : linkOf(chapters)
  return kept.length > 0 || chaptersUrl !== null ? { transcripts: kept, chapters: chaptersUrl } : undefined
}

type Format = LinkedFile['format']

/** Best first: HTML has the time of each paragraph, if any. */
const formats: readonly Format[] = ['vtt', 'srt', 'json', 'html']
const rank = ({ format }: LinkedFile): number => formats.indexOf(format)

/** Feeds also use types from before a format had a registered one. A text without times cannot be a transcript with times. */
const types: Readonly<Record<string, Format>> = {
  'text/vtt': 'vtt',
  'application/x-subrip': 'srt',
  'application/srt': 'srt',
  'text/srt': 'srt',
  'application/json': 'json',
  'text/html': 'html',
}

const formatOfType = (type: string): Format | null => types[type.split(';', 1)[0]?.trim().toLowerCase() ?? ''] ?? null

const formatOfName = (url: string): Format | null => {
  const extension = /\.(\w{3,4})$/.exec(new URL(url).pathname)?.[1]?.toLowerCase()
  return formats.find((format) => format === extension) ?? null
}

const MAX_LANGUAGE_CHARACTERS = 20
const languageOf = (text: string): string | null => text.trim().slice(0, MAX_LANGUAGE_CHARACTERS) || null

const MAX_CHARACTERS = 4_096

const within = (characters: number, files: LinkedFile[]): LinkedFile[] => {
  let left = characters
  return files.filter(({ url }) => {
    if (url.length > left) return false
    left -= url.length
    return true
  })
}
