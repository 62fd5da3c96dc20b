import type { Chapter, SourceAbout } from '../../domain/protocol/protocol.ts'
import { shown } from '../../domain/text-rule.ts'
import type { FileKind } from './sniff.ts'
import type { RangeResponse } from './transfer/range-response.ts'
import type { SegmentList } from './transfer/segment-list.ts'
import type { Identity } from './transfer/stream.ts'

/** What a URL is resolved to: a direct file, a manifest or a page. */
export interface Source {
  title: string
  durationSeconds: number | null
  thumbnailUrl: string | null
  /** 'direct', 'hls', 'dash', or the extractor's name in lower case such as 'youtube'. */
  platform: string
  /** As yt-dlp names it, such as `youtube`; `direct` for what the container reads itself. */
  extractor: string
  isLive: boolean
  direct: boolean
  renditions: Rendition[]
  captions: CaptionTrack[]
  chapters: Chapter[]
  about: SourceAbout
  /** A message for the caller, for example that the page contains several videos. */
  note: string | null
}

export interface Rendition {
  id: string
  /** 'mp4', 'webm', 'ts', 'm4a'… according to the source. The file is probed after the download. */
  container: string | null
  /** null: no such stream. 'unknown': the source does not tell whether there is one, or which codec. */
  videoCodec: string | null
  audioCodec: string | null
  width: number | null
  height: number | null
  bitrate: number | null
  audioBitrate: number | null
  /** Orders audio renditions whose bitrate is unknown: larger is better. */
  tier?: number
  sizeBytes: number | null
  sizeIsEstimate: boolean
  language: string | null
  preference: number
  transport: Transport
}

/** How to fetch a rendition. `headers` are those that the platform requires (Referer, Cookie…). */
export type Transport =
  /** `opened` is the response that identified the URL, if any. The download continues with it. */
  | { kind: 'file'; url: string; headers: Record<string, string>; opened?: OpenedUrl }
  | { kind: 'hls'; url: string; headers: Record<string, string> }
  | { kind: 'segments'; segments: SegmentList; headers: Record<string, string> }

/** A URL after its first response. The download continues with that response, so no byte is requested twice. */
export interface OpenedUrl {
  /** After redirects. */
  url: string
  kind: FileKind
  title: string
  /** Only used for its charset. The bytes decide what kind of file it is. */
  contentType: string | null
  sizeBytes: number | null
  /** Later ranges of the file must match it. null: the origin serves no ranges, or nothing identifies the file. */
  identity: Identity | null
  /** As its response states them. */
  etag: string | null
  lastModified: string | null
  /** Returns the first bytes without consuming them, or all of a shorter response. null after `take`. */
  head(bytes: number): Promise<Uint8Array | null>
  take(): RangeResponse | null
  discard(): void
}

export type FileTransport = Extract<Transport, { kind: 'file' }>

export interface CaptionTrack extends CaptionPart {
  language: string
  kind: 'manual' | 'automatic'
  /** The track is in the spoken language and is not a machine translation. */
  original: boolean
  format: string
  later?: CaptionPart[]
}

export interface CaptionPart {
  transport: Transport
  /** To be added to its times. */
  shiftSeconds?: number
}

export interface Sink {
  announce(totalBytes: number): void
  write(bytes: Uint8Array, offset: number): Promise<void>
  /** Waits until this many bytes may be written: for a download that keeps bytes in memory before it writes them. */
  reserve?(bytes: number): Promise<void>
}

export const maxTitleCharacters = 500
export const maxNameCharacters = 100

/** A text of a source without half of a surrogate pair at the end, and without control characters. */
export const shortened = (text: string | undefined, characters: number): string | null =>
  text === undefined ? null : shown(text.slice(0, characters).replace(/[\ud800-\udbff]$/, ''))
