import type { Segment } from '../../domain/words/segment.ts'
import type { Transcript } from '../transcript.ts'
import { cards, clockTime } from './screen.ts'

/** SubRip as old players want it: CRLF, comma, numbered from 1. It has no way to name a speaker but in the text. */
export function* srt({ segments }: Transcript): Generator<string> {
  let number = 0
  for (const { startMs, endMs, lines } of cards(labeled(segments))) {
    const time = `${clockTime(startMs, ',')} --> ${clockTime(endMs, ',')}`
    yield `${[++number, time, ...lines.map(harmless)].join('\r\n')}\r\n\r\n`
  }
}

function* labeled(segments: Iterable<Segment>): Generator<Segment> {
  let speaker: string | undefined
  for (const segment of segments) {
    const changed = segment.speaker !== undefined && segment.speaker !== speaker
    yield changed ? { ...segment, text: `${segment.speaker}: ${segment.text}` } : segment
    speaker = segment.speaker
  }
}

/** SRT can't escape: an arrow in the text would be read as times. */
const harmless = (line: string) => line.replaceAll('-->', '→')
