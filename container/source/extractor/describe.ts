import { HOUR_MS } from '../../../domain/time.ts'
import { SourceFailure } from '../../failures.ts'
import { aboutFile, aboutPage } from '../about.ts'
import {
  type CaptionPart,
  type CaptionTrack,
  maxNameCharacters,
  maxTitleCharacters,
  type Rendition,
  type Source,
  shortened,
} from '../source.ts'
import type { Format, Info, Located, Tracks } from './extractor-answer.ts'
import { createTransportReader, isHls, isWebUrl, type ReadTransport } from './transport.ts'

/** Real sources stay below these limits: YouTube lists about 300 tracks of captions. What exceeds them is cut off. */
const maxRenditions = 2_000
const maxChapters = 1_000
const maxTracks = 2_000

/** Converts yt-dlp's info into a Source. `now`: when it was read. */
export const describe = (info: Info, url: string, now: number): Source => {
  // yt-dlp lists formats from worst to best.
  const formats = info.formats.filter(({ has_drm }) => has_drm !== true).slice(-maxRenditions)
  if (formats.length === 0 && info.formats.length > 0) throw new SourceFailure('SOURCE_DRM')
  const readTransport = createTransportReader()
  // The best first, because the limit on URLs may leave none for the last.
  const renditions = formats
    .map((format, preference) => ({ format, preference }))
    .toReversed()
    .flatMap(({ format, preference }) => renditionOf(format, preference, readTransport))
    .toReversed()
  if (renditions.length === 0) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return {
    title: shortened(pageTitle(info), maxTitleCharacters) ?? 'untitled',
    durationSeconds: info.duration || null,
    thumbnailUrl: info.thumbnail && isWebUrl(info.thumbnail) ? info.thumbnail : null,
    platform: platformOf(info, url),
    extractor: shortened(info.extractor, maxNameCharacters) ?? 'generic',
    isLive: isLive(info, now),
    direct: info.direct === true,
    renditions,
    captions: captionsOf(info, readTransport),
    chapters: info.chapters.slice(0, maxChapters).map(({ title, start_time, end_time }, index) => ({
      title: shortened(title, maxTitleCharacters) ?? `Chapter ${index + 1}`,
      startSeconds: start_time,
      endSeconds: end_time,
    })),
    about: ownFormat(info, url) ? aboutFile(url) : aboutPage(info, spokenLanguage(info)),
    note: info.several ? 'The page contains several videos. The first one was used.' : null,
  }
}

/** How long YouTube may work on a stream that has ended. For some it states `post_live` for ever. */
const POST_LIVE_MS = 12 * HOUR_MS

const isLive = ({ is_live, live_status, release_timestamp, timestamp, duration = 0 }: Info, now: number): boolean => {
  if (is_live || live_status === 'is_live' || live_status === 'is_upcoming') return true
  const startedAt = release_timestamp ?? timestamp
  return live_status === 'post_live' && startedAt !== undefined && now < (startedAt + duration) * 1_000 + POST_LIVE_MS
}

/** For <video> elements yt-dlp appends a number to the page's title, even when there is only one. */
export const pageTitle = ({ title, extractor }: Pick<Info, 'title' | 'extractor'>): string | undefined =>
  extractor === 'html5' ? title?.replace(/ \(1\)$/, '') : title

const platformOf = (info: Info, url: string): string => {
  const site = siteOf(info)
  if (site !== null) return site
  if (info.direct) return 'direct'
  const manifest = ownFormat(info, url)
  if (!manifest) return 'generic'
  return isHls(manifest) ? 'hls' : 'dash'
}

/** null: an extractor that reads the pages of any site. */
const siteOf = ({ extractor = 'generic' }: Info): string | null => {
  const name = extractor.slice(0, maxNameCharacters).toLowerCase().split(':')[0] ?? ''
  return name === 'generic' || name === 'html5' ? null : name
}

/** That of a URL which is a manifest or a file itself, and not a page. */
const ownFormat = (info: Info, url: string): Format | undefined =>
  siteOf(info) === null
    ? info.formats.find((format) => [url, info.webpage_url].includes(format.manifest_url ?? format.url))
    : undefined

/** Storyboards and unsupported protocols are omitted. */
const renditionOf = (format: Format, preference: number, readTransport: ReadTransport): Rendition[] => {
  const transport = format.ext === 'mhtml' ? null : readTransport(format)
  if (!transport) return []
  const videoCodec = codec(format.vcodec)
  const audioCodec = codec(format.acodec)
  if (videoCodec === null && audioCodec === null) return []
  const audioKbps = format.abr || (videoCodec === null ? format.tbr : undefined)
  return [
    {
      id: format.format_id.slice(0, maxNameCharacters),
      container: shortened(format.ext, maxNameCharacters),
      videoCodec,
      audioCodec,
      width: format.width || null,
      height: format.height || null,
      bitrate: bits(format.tbr),
      audioBitrate: bits(audioKbps),
      ...(format.tier ? { tier: format.tier } : {}),
      sizeBytes: format.filesize || format.filesize_approx || null,
      sizeIsEstimate: !format.filesize && Boolean(format.filesize_approx),
      language: shortened(format.language, maxNameCharacters),
      preference,
      transport,
    },
  ]
}

const codec = (name: string | undefined): string | null => {
  if (name === 'none') return null
  return shortened(name, maxNameCharacters) ?? 'unknown'
}

const bits = (kilobits: number | undefined): number | null => (kilobits ? Math.round(kilobits * 1000) : null)

/** Best first: json3 has exact times, and rolling VTT repeats lines. `mp4` is VTT or TTML in DASH. */
export const captionFormats = ['json3', 'vtt', 'srt', 'ttml', 'dfxp', 'ass', 'ssa', 'mp4']

/** One track for each language and kind. */
const captionsOf = (info: Info, readTransport: ReadTransport): CaptionTrack[] => {
  const { subtitles, automatic_captions } = info
  const spoken = spokenLanguage(info)
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

/**
 * YouTube lists machine translations into every language. Only the recognized language has the suffix -orig (`en-orig`).
 * Elsewhere it is that of the page.
 */
const spokenLanguage = ({ automatic_captions, language }: Info): string | undefined => {
  const original = Object.keys(automatic_captions).find((name) => name.endsWith('-orig'))
  return original ? withoutSuffix(original) : language
}

const withoutSuffix = (name: string): string => name.replace(/-orig$/, '')

const tracks = (all: Tracks, readTransport: ReadTransport) =>
  Object.entries(all).flatMap(([language, formats]) => {
    if (language === 'live_chat' || language.length > maxNameCharacters) return []
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
