import { collapse, join } from './writing.ts'

/** A stretch of speech, in seconds from the start of the media. */
export interface Segment {
  start: number
  end: number
  text: string
  speaker?: string
}

/** An overlapped segment of less than this would be too short to read, so it is merged into the next one. */
const MIN_CLIPPED_SECONDS = 0.1

/** Rounds to whole milliseconds, the precision of SRT and WebVTT. It also avoids `0.30000000000000004` in JSON. */
export const milliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000

/**
 * Sorts segments, removes overlaps and empty segments, and collapses white space. An overlap loses no text:
 * the earlier segment is shortened, or the two are merged.
 */
export const inOrder = (segments: Iterable<Segment>): Segment[] => {
  const sorted = Array.from(segments).map(normalize).filter(isUsable)
  sorted.sort((a, b) => a.start - b.start || a.end - b.end)
  const ordered: Group[] = []
  for (const segment of sorted) {
    const previous = ordered.at(-1)
    if (previous === undefined || segment.start >= previous.end) ordered.push({ ...segment, texts: [segment.text] })
    else if (isSame(previous, segment)) previous.end = Math.max(previous.end, segment.end)
    else if (segment.start - previous.start < MIN_CLIPPED_SECONDS) merge(previous, segment)
    else {
      previous.end = segment.start
      ordered.push({ ...segment, texts: [segment.text] })
    }
  }
  return ordered.map(({ texts, ...segment }) => (texts.length === 1 ? segment : { ...segment, text: join(texts) }))
}

/** A segment and the texts that were merged into it. They are joined once, at the end: a file may merge all its cues. */
interface Group extends Segment {
  texts: string[]
}

const normalize = ({ start, end, text, speaker }: Segment): Segment => {
  const from = milliseconds(Math.max(0, start))
  const to = end > start ? Math.max(milliseconds(end), milliseconds(from + 0.001)) : from
  return {
    start: from,
    end: end > 0 ? to : from,
    text: collapse(text),
    ...(speaker ? { speaker: collapse(speaker) } : {}),
  }
}

const isUsable = ({ start, end, text }: Segment) => text !== '' && Number.isFinite(end) && end > start

const isSame = ({ texts, speaker }: Group, segment: Segment) =>
  texts.length === 1 && texts[0] === segment.text && speaker === segment.speaker

const merge = (into: Group, segment: Segment) => {
  into.texts.push(segment.text)
  into.end = Math.max(into.end, segment.end)
  if (into.speaker !== segment.speaker) delete into.speaker
}
