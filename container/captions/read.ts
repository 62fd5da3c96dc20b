import type { Clip } from '../../domain/protocol/protocol.ts'
import { milliseconds, type Segment } from '../../domain/words/segment.ts'
import { readSection, type StoredTranscript, storedTranscript } from '../../domain/words/transcript-body.ts'
import { CaptionsTooLarge, type Cue, collectCues, decodeText, maxCaptionBytes } from './cue.ts'
import { hlsCues } from './formats/hls-segments.ts'
import { htmlCues } from './formats/html.ts'
import { isMp4, mp4Cues } from './formats/mp4.ts'
import { podcastCues } from './formats/podcast-json.ts'
import { ttmlCues } from './formats/ttml.ts'
import { srtCues, vttCues } from './formats/vtt-srt.ts'
import { normalize } from './normalize.ts'

export interface CaptionFiles {
  /** One file, or the segments of one. */
  files: Uint8Array[]
  isOneFile: boolean
  /** To be added to its times. */
  shiftSeconds: number
}

export const readTranscript = (parts: CaptionFiles[]): StoredTranscript =>
  storedTranscript(
    parts.flatMap(({ files, isOneFile, shiftSeconds }) => {
      const [file = new Uint8Array()] = files
      return shifted(isOneFile ? readCaptions(file) : readCaptionSegments(files), shiftSeconds)
    }),
  )

const shifted = (segments: Segment[], seconds: number): Segment[] =>
  segments
    .map(({ start, end, ...rest }) => ({ start: Math.max(0, start + seconds), end: end + seconds, ...rest }))
    .filter(({ start, end }) => start < end)

/** Reads a caption file of any format. The format is detected from its content: servers' labels are often wrong. */
export const readCaptions = (bytes: Uint8Array): Segment[] => {
  if (isMp4(bytes)) return readCaptionSegments([bytes])
  return normalize(collectCues(readText(decodeText(bytes))))
}

/** Reads the files of an HLS or DASH subtitle rendition, in order, with its initialization section first if it has one. */
export const readCaptionSegments = (segments: Uint8Array[]): Segment[] => {
  if (segments.reduce((sum, { byteLength }) => sum + byteLength, 0) > maxCaptionBytes) {
    throw new CaptionsTooLarge(`more than ${maxCaptionBytes} bytes`)
  }
  if (segments[0] && isMp4(segments[0])) return normalize(mp4Cues(segments))
  return normalize(hlsCues(segments.map(decodeText), readText))
}

const readText = (text: string): Iterable<Cue> => {
  const beginning = text.slice(0, 1000).trimStart()
  if (beginning.startsWith('WEBVTT')) return vttCues(text)
  if (beginning.startsWith('{')) return jsonCues(text)
  if (!beginning.startsWith('<')) return srtCues(text)
  return isXmlOfCaptions(beginning) ? ttmlCues(text) : htmlCues(text)
}

export const clipTranscript = (body: Uint8Array, clip: Clip): StoredTranscript =>
  storedTranscript(segmentsIn(body, clip))

const segmentsIn = (body: Uint8Array, { startSeconds, endSeconds }: Clip): Segment[] => {
  const [from, to] = [startSeconds ?? 0, endSeconds ?? Number.POSITIVE_INFINITY]
  return readSection(body).segments.filter(({ start, end }) => start < to && end > from)
}

/** The times of the clip's file, which begins at 0. */
export const movedToClip = (body: Uint8Array, clip: { startSeconds: number; endSeconds: number }): StoredTranscript => {
  const { startSeconds, endSeconds } = clip
  return storedTranscript(
    segmentsIn(body, clip).map(({ start, end, ...segment }) => ({
      ...segment,
      start: milliseconds(Math.max(0, start - startSeconds)),
      end: milliseconds(Math.min(end, endSeconds) - startSeconds),
    })),
  )
}

/** The root of TTML, DFXP, and of YouTube's formats. A feed's transcript in HTML may begin with any element. */
const isXmlOfCaptions = (beginning: string): boolean => /<(\w+:)?(tt|timedtext|transcript)[\s>]/i.test(beginning)

const jsonCues = (json: string): Iterable<Cue> => {
  const parsed = objectIn(json)
  return 'segments' in parsed ? podcastCues(parsed.segments) : json3Cues(parsed)
}

/** YouTube's format: plain text, times in milliseconds that are sometimes strings. */
interface Json3Event {
  tStartMs?: number | string
  dDurationMs?: number | string
  /** The event appends to the line on screen. Its text is repeated in a separate event. */
  aAppend?: unknown
  segs?: { utf8?: unknown }[]
}

function* json3Cues(parsed: object): Generator<Cue> {
  const events: (Json3Event | null)[] = 'events' in parsed && Array.isArray(parsed.events) ? parsed.events : []
  for (const event of events) {
    if (!event || event.aAppend || !Array.isArray(event.segs)) continue
    const text = event.segs.map((seg) => (typeof seg?.utf8 === 'string' ? seg.utf8 : '')).join('')
    const start = Number(event.tStartMs ?? 0) / 1000
    const end = start + Number(event.dDurationMs ?? 0) / 1000
    if (text.trim() !== '' && start >= 0 && end > start && end < Infinity) yield { start, end, text }
  }
}

const objectIn = (json: string): object => {
  try {
    const parsed: unknown = JSON.parse(json)
    return parsed !== null && typeof parsed === 'object' ? parsed : {}
  } catch {
    return {}
  }
}
