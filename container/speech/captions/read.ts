import type { Segment } from '../../../worker/domain/words/segment.ts'
import { CaptionsTooLarge, type Cue, collect, maxBytes } from './cue.ts'
import { decode } from './decode.ts'
import { hlsCues } from './hls.ts'
import { json3Cues } from './json3.ts'
import { isMp4, mp4Cues } from './mp4.ts'
import { normalize } from './normalize.ts'
import { srtCues, vttCues } from './timed.ts'
import { ttmlCues } from './ttml.ts'

/** A caption file of any kind. What it is shows in its first characters; servers' names for it are often wrong. */
export const readCaptions = (bytes: Uint8Array): Segment[] => {
  if (isMp4(bytes)) return readCaptionSegments([bytes])
  const text = decode(bytes)
  return normalize(collect(read(text)))
}

/** The files of an HLS or DASH subtitle rendition in order, an initialization section first where there is one. */
export const readCaptionSegments = (segments: Uint8Array[]): Segment[] => {
  if (segments.reduce((sum, { byteLength }) => sum + byteLength, 0) > maxBytes) {
    throw new CaptionsTooLarge(`more than ${maxBytes} bytes`)
  }
  if (segments[0] && isMp4(segments[0])) return normalize(mp4Cues(segments))
  return normalize(hlsCues(segments.map(decode), read))
}

const read = (text: string): Iterable<Cue> => {
  const beginning = text.slice(0, 1000).trimStart()
  if (beginning.startsWith('WEBVTT')) return vttCues(text)
  if (beginning.startsWith('{')) return json3Cues(text)
  return beginning.startsWith('<') ? ttmlCues(text) : srtCues(text)
}
