import type { Opened } from './direct.ts'

/**
 * What every kind of source (a direct file, a manifest, a page) is resolved to before a byte of media
 * is fetched, and what the selection and the downloaders then work on.
 */
export interface Source {
  title: string
  durationSeconds: number | null
  thumbnailUrl: string | null
  /** 'direct', 'hls', 'dash', or the extractor's name in lower case such as 'youtube'. */
  platform: string
  isLive: boolean
  /** A direct file has one rendition and is never re-encoded for quality. */
  direct: boolean
  renditions: Rendition[]
  captions: CaptionTrack[]
  chapters: Chapter[]
  /** For the caller, for example that the page held several videos. */
  note: string | null
}

/** One stream, or one file with several, as the source offers it. */
export interface Rendition {
  id: string
  /** 'mp4', 'webm', 'ts', 'm4a'… as the source says; the truth is probed later. */
  container: string | null
  /** null: the rendition has none. 'unknown': it has one, or may have; nobody said which. */
  videoCodec: string | null
  audioCodec: string | null
  width: number | null
  height: number | null
  /** Bits per second of all streams together, and of the audio alone. */
  bitrate: number | null
  audioBitrate: number | null
  /** Orders sounds whose bitrate nobody says: larger is better. */
  tier?: number
  sizeBytes: number | null
  sizeIsEstimate: boolean
  language: string | null
  /** The source's own idea of preference: larger is better. Breaks ties. */
  preference: number
  transport: Transport
}

/** How a rendition's bytes are had. Headers are what the platform wants to see (Referer, Cookie…). */
export type Transport =
  /** `opened` is the answer that told what the URL is, when there was one: its bytes are not asked for again. */
  | { kind: 'file'; url: string; headers: Record<string, string>; opened?: Opened }
  | { kind: 'hls'; url: string; headers: Record<string, string> }
  | { kind: 'segments'; segments: Segment[]; headers: Record<string, string> }

export interface Segment {
  url: string
  range: { offset: number; length: number } | null
  /** AES-128-CBC, as HLS has it. */
  key: { url: string; iv: Uint8Array } | null
}

export interface CaptionTrack extends CaptionPart {
  language: string
  kind: 'manual' | 'automatic'
  /** An automatic track in the language that is spoken, not a machine translation of it. */
  original: boolean
  format: string
  /** The same track in the later periods of a DASH manifest. */
  later?: CaptionPart[]
}

export interface CaptionPart {
  transport: Transport
  /** What is to be added to its times, in seconds. */
  shiftSeconds?: number
}

export interface Chapter {
  title: string
  startSeconds: number
  endSeconds: number
}

/** Where a downloader puts bytes: a local file that may be written out of order. */
export interface Sink {
  /** Learns the final size as soon as the source announces it. */
  announce(totalBytes: number): void
  write(bytes: Uint8Array, offset: number): Promise<void>
}

/** What a download found out about itself. */
export interface Downloaded {
  sizeBytes: number
  /** From Content-Disposition, already safe as a file's base name; null when the origin gave none. */
  filename: string | null
  contentType: string | null
}
