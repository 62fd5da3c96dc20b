import type { Segment } from '../../domain/words/segment.ts'
import { CaptionsTooLarge, type Cue, collectCues, decodeText, maxCaptionBytes } from './cue.ts'
import { hlsCues } from './formats/hls-segments.ts'
import { json3Cues } from './formats/json3.ts'
import { isMp4, mp4Cues } from './formats/mp4.ts'
import { ttmlCues } from './formats/ttml.ts'
import { srtCues, vttCues } from './formats/vtt-srt.ts'
import { normalize } from './normalize.ts'

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
  if (beginning.startsWith('{')) return json3Cues(text)
  return beginning.startsWith('<') ? ttmlCues(text) : srtCues(text)
}
