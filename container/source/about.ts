import { createHash } from 'node:crypto'
import type { SourceAbout } from '../../domain/protocol/protocol.ts'
import type { Info } from './extractor/extractor-answer.ts'
import { maxNameCharacters, shortened } from './source.ts'

const maxUploaderCharacters = 200
const maxDescriptionCharacters = 10_000
const maxTags = 100
const maxTagCharacters = 100

const idCharacters = 11

/** Names of files and manifests repeat, such as `latest` and `master`. Their URLs do not. */
export const aboutFile = (url: string): SourceAbout => ({
  id: createHash('sha256').update(withoutFragment(url)).digest('base64url').slice(0, idCharacters),
  uploader: null,
  publishedAt: null,
  description: null,
  tags: [],
  language: null,
})

const withoutFragment = (url: string): string => url.split('#', 1)[0] ?? url

export const aboutPage = (info: Info, language: string | undefined): SourceAbout => ({
  id: text(idOnPage(info), maxNameCharacters),
  uploader: firstText([info.uploader, info.channel, info.creator], maxUploaderCharacters),
  publishedAt: publishedAt(info),
  description: description(info.description),
  tags: (info.tags ?? []).slice(0, maxTags).flatMap((tag) => text(tag, maxTagCharacters) ?? []),
  language: text(language, maxNameCharacters),
})

/** For <video> elements yt-dlp numbers the page's id, even when there is only one. */
const idOnPage = ({ id, extractor }: Info): string | undefined => (extractor === 'html5' ? id?.replace(/-1$/, '') : id)

const text = (stated: string | undefined, characters: number): string | null =>
  shortened(stated?.trim(), characters)?.trim() || null

const firstText = (stated: (string | undefined)[], characters: number): string | null =>
  stated.map((each) => text(each, characters)).find((each) => each !== null) ?? null

const description = (stated = ''): string | null => {
  const lines = stated
    .trim()
    .slice(0, maxDescriptionCharacters)
    .split(/\r\n?|\n/)
  return (
    lines
      .map((line) => shortened(line, maxDescriptionCharacters))
      .join('\n')
      .trim() || null
  )
}

const publishedAt = ({ timestamp, release_timestamp, upload_date = '' }: Info): string | null => {
  const dates = [secondsToDate(timestamp), secondsToDate(release_timestamp), dayToDate(upload_date)]
  return dates.find((date) => date !== null)?.toISOString() ?? null
}

const lastSecond = Date.parse('9999-12-31T23:59:59Z') / 1000

/** Sources write 0 where they do not know. */
const secondsToDate = (seconds: number | undefined): Date | null =>
  seconds !== undefined && seconds > 0 && seconds <= lastSecond ? new Date(seconds * 1000) : null

/** `upload_date` is YYYYMMDD. */
const dayToDate = (day: string): Date | null => {
  const [, year, month, date] = /^(\d{4})(\d{2})(\d{2})$/.exec(day) ?? []
  const iso = `${year}-${month}-${date}`
  const found = secondsToDate(Date.parse(iso) / 1000)
  // Some engines read 30 February as 2 March.
  return found?.toISOString().startsWith(iso) ? found : null
}
