import { SourceFailure } from '../../failures.ts'
import type { Rendition, Source } from '../source.ts'
import { captionsOf } from './captions.ts'
import type { Format, Info } from './extractor-answer.ts'
import { isHls, isWebUrl, transportOf } from './transport.ts'

/** Converts yt-dlp's info into a Source. */
export const describe = (info: Info, url: string): Source => {
  const formats = info.formats.filter(({ has_drm }) => has_drm !== true)
  if (formats.length === 0 && info.formats.length > 0) throw new SourceFailure('SOURCE_DRM')
  const renditions = formats.flatMap(renditionOf)
  if (renditions.length === 0) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return {
    title: titleOf(info),
    durationSeconds: info.duration || null,
    thumbnailUrl: info.thumbnail && isWebUrl(info.thumbnail) ? info.thumbnail : null,
    platform: platformOf(info, url),
    isLive: info.is_live === true || ['is_live', 'post_live', 'is_upcoming'].includes(info.live_status ?? ''),
    direct: info.direct === true,
    renditions,
    captions: captionsOf(info),
    chapters: info.chapters.map(({ title, start_time, end_time }, index) => ({
      title: title ?? `Chapter ${index + 1}`,
      startSeconds: start_time,
      endSeconds: end_time,
    })),
    note: info.several ? 'The page contains several videos. The first one was used.' : null,
  }
}

/** For <video> elements yt-dlp appends a number to the page's title, even when there is only one. */
const titleOf = ({ title = 'untitled', extractor }: Info): string =>
  extractor === 'html5' ? title.replace(/ \(1\)$/, '') : title

const platformOf = ({ extractor = 'generic', direct, formats, webpage_url }: Info, url: string): string => {
  const name = extractor.toLowerCase().split(':')[0] ?? ''
  if (name !== 'generic' && name !== 'html5') return name
  if (direct) return 'direct'
  const manifest = formats.find((format) => [url, webpage_url].includes(format.manifest_url ?? format.url))
  if (!manifest) return 'generic'
  return isHls(manifest) ? 'hls' : 'dash'
}

/** yt-dlp lists formats from worst to best. Storyboards and unsupported protocols are omitted. */
const renditionOf = (format: Format, preference: number): Rendition[] => {
  const transport = format.ext === 'mhtml' ? null : transportOf(format)
  if (!transport) return []
  const videoCodec = codec(format.vcodec)
  const audioCodec = codec(format.acodec)
  if (videoCodec === null && audioCodec === null) return []
  const audioKbps = format.abr || (videoCodec === null ? format.tbr : undefined)
  return [
    {
      id: format.format_id,
      container: format.ext ?? null,
      videoCodec,
      audioCodec,
      width: format.width || null,
      height: format.height || null,
      bitrate: bits(format.tbr),
      audioBitrate: bits(audioKbps),
      ...(format.tier ? { tier: format.tier } : {}),
      sizeBytes: format.filesize || format.filesize_approx || null,
      sizeIsEstimate: !format.filesize && Boolean(format.filesize_approx),
      language: format.language ?? null,
      preference,
      transport,
    },
  ]
}

const codec = (name: string | undefined): string | null => {
  if (name === 'none') return null
  return name ?? 'unknown'
}

const bits = (kilobits: number | undefined): number | null => (kilobits ? Math.round(kilobits * 1000) : null)
