import { runs } from '../../domain/words/runs.ts'
import type { Segment } from '../../domain/words/segment.ts'
import { type Atom, atoms, pauseAfter, textOf } from '../../domain/words/writing.ts'
import type { Layout, Segments } from './transcript-layout.ts'

/** SubRip with CRLF, comma and numbers from 1, for old players. It has no speakers, so names go into the text. */
export async function* srt(segments: Segments, layout: Layout): AsyncGenerator<string> {
  let number = 0
  for await (const { startMs, endMs, lines } of captionCues(segments, layout)) {
    const time = `${timestamp(startMs, ',')} --> ${timestamp(endMs, ',')}`
    yield `${[++number, time, ...lines.map(withoutArrows)].join('\r\n')}\r\n\r\n`
  }
}

/** SRT has no escapes: players would parse an arrow in the text as a time line. */
const withoutArrows = (line: string) => line.replaceAll('-->', '→')

/** WebVTT. Players do not show voice spans, which are for style sheets and programs, so names are in the text too. */
export async function* vtt(segments: Segments, layout: Layout): AsyncGenerator<string> {
  yield 'WEBVTT\n'
  for await (const cue of captionCues(segments, layout)) yield `\n${vttCue(cue, layout.speakers)}\n`
}

const vttCue = ({ startMs, endMs, lines, speaker }: ScreenCue, withVoice: boolean) => {
  const time = `${timestamp(startMs, '.')} --> ${timestamp(endMs, '.')}`
  const voice = withVoice && speaker ? `<v ${escapeVtt(speaker)}>` : ''
  return `${time}\n${voice}${lines.map(escapeVtt).join('\n')}`
}

/** `<` would start a tag, `&` an entity, and `-->` would end the cue. */
const escapeVtt = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** A name precedes the first words after the speaker has changed. */
async function* withSpeakerNames(segments: Segments): AsyncGenerator<Segment> {
  let speaker: string | undefined
  for await (const segment of segments) {
    const isChanged = segment.speaker !== undefined && segment.speaker !== speaker
    yield isChanged ? { ...segment, text: `${segment.speaker}: ${segment.text}` } : segment
    speaker = segment.speaker
  }
}

interface ScreenCue {
  startMs: number
  endMs: number
  lines: string[]
  speaker: string | undefined
}

/** Splits long segments into several cues, which share the segment's time by text length. Cues never overlap. */
async function* captionCues(segments: Segments, layout: Layout): AsyncGenerator<ScreenCue> {
  let previousEndMs = 0
  for await (const segment of layout.speakers ? withSpeakerNames(segments) : segments) {
    for (const cue of cuesOf(segment, layout)) {
      const startMs = Math.max(previousEndMs, cue.startMs)
      previousEndMs = Math.max(startMs + 1, cue.endMs)
      yield { ...cue, startMs, endMs: previousEndMs }
    }
  }
}

function* cuesOf({ start, end, text, speaker }: Segment, layout: Layout): Generator<ScreenCue> {
  const words = atoms(text, layout.maxLineChars)
  const cues = runs({
    length: words.length,
    reach: (from) => cueEnd(words, from, layout),
    quality: (at) => breakQuality(words, at),
  })
  const totalWidth = widthOf(words)
  let usedWidth = 0
  const timeMs = () => Math.round((start + ((end - start) * usedWidth) / totalWidth) * 1000)
  for (const [from, to] of cues) {
    const cueWords = words.slice(from, to)
    const startMs = timeMs()
    usedWidth += widthOf(cueWords)
    yield { startMs, endMs: timeMs(), lines: linesOf(cueWords, layout.maxLineChars), speaker }
  }
}

const widthOf = (words: Atom[]) => words.reduce((sum, word) => sum + word.width, 0) || 1

/** The end of the line that starts at `from`, exclusive. */
const lineEnd = (words: Atom[], from: number, columnsOfLine: number): number => {
  let columns = 0
  let to = from
  for (let word = words[to]; word !== undefined; word = words[to]) {
    columns += word.width + (to > from && word.spaced ? 1 : 0)
    if (to > from && columns > columnsOfLine) break
    to++
  }
  return to
}

const cueEnd = (words: Atom[], from: number, { maxLineChars, maxLines }: Layout): number => {
  let to = from
  for (let line = 0; line < maxLines && to < words.length; line++) to = lineEnd(words, to, maxLineChars)
  return to
}

const lineCount = (words: Atom[], columns: number): number => {
  let lines = 0
  for (let to = 0; to < words.length; lines++) to = lineEnd(words, to, columns)
  return lines
}

const breakQuality = (words: Atom[], at: number) =>
  ({ sentence: 2, clause: 1, none: 0 })[pauseAfter(words[at - 1]?.text ?? '', words[at]?.text ?? '')]

/** The fewest lines that fit, of similar length, preferably broken after punctuation. */
const linesOf = (words: Atom[], columns: number): string[] => {
  const lines: string[] = []
  let rest = words
  for (let left = lineCount(words, columns); left > 1; left--) {
    const to = firstLineEnd(rest, left, columns)
    lines.push(textOf(rest.slice(0, to)))
    rest = rest.slice(to)
  }
  return [...lines, textOf(rest)]
}

/** Where the first of `count` lines ends. The rest must fit into the others. */
const firstLineEnd = (words: Atom[], count: number, columns: number): number => {
  const longestEnd = lineEnd(words, 0, columns)
  let best = longestEnd
  let bestScore = -Infinity
  for (let at = longestEnd; at > 0 && lineCount(words.slice(at), columns) < count; at--) {
    const unevenness = Math.abs(widthOf(words.slice(0, at)) - widthOf(words.slice(at)) / (count - 1)) / columns
    const score = breakQuality(words, at) / 2 - unevenness
    if (score > bestScore) [best, bestScore] = [at, score]
  }
  return best
}

/** `01:02:03,004` for SRT, `01:02:03.004` for WebVTT. */
const timestamp = (timeMs: number, decimalMark: ',' | '.') => {
  const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const seconds = Math.floor(timeMs / 1000)
  const fraction = String(timeMs % 1000).padStart(3, '0')
  return `${twoDigits(seconds / 3600)}:${twoDigits((seconds / 60) % 60)}:${twoDigits(seconds % 60)}${decimalMark}${fraction}`
}
