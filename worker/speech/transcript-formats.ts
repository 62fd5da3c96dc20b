import type { Segment } from '../../domain/words/segment.ts'
import { pauseAfter, seam } from '../../domain/words/writing.ts'
import { captionCues, type ScreenCue, timestamp } from './caption-cues.ts'

/** The formats a transcript can be downloaded in. */
export const transcriptFormats = ['json', 'txt', 'srt', 'vtt'] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

export const contentTypes: Record<TranscriptFormat, string> = {
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
}

/** JSON is copied from storage instead. */
export type WrittenFormat = Exclude<TranscriptFormat, 'json'>

type Segments = Iterable<Segment> | AsyncIterable<Segment>

/** Yields a few hundred characters at a time, so that neither the transcript nor the file is in memory as a whole. */
export const formatTranscript = (segments: Segments, format: WrittenFormat): AsyncIterable<string> =>
  writers[format](segments)

const PARAGRAPH_PAUSE_SECONDS = 2
/** Captions may have no pauses at all. A paragraph of this length ends after its current sentence. */
const LONG_PARAGRAPH_CHARACTERS = 600

/** Paragraphs separated by an empty line. A speaker's name precedes their first paragraph. */
async function* txt(segments: Segments): AsyncGenerator<string> {
  let previous: Segment | undefined
  let characters = 0
  for await (const segment of segments) {
    const isNewParagraph = previous === undefined || startsParagraph(previous, segment, characters)
    if (previous && isNewParagraph) yield '\n\n'
    if (isNewParagraph) characters = 0
    if (isNewParagraph && segment.speaker) yield `${segment.speaker}: `
    yield (previous && !isNewParagraph ? seam(previous.text, segment.text) : '') + segment.text
    characters += segment.text.length
    previous = segment
  }
  if (previous) yield '\n'
}

const startsParagraph = (previous: Segment, segment: Segment, characters: number) =>
  previous.speaker !== segment.speaker ||
  segment.start - previous.end >= PARAGRAPH_PAUSE_SECONDS ||
  (characters >= LONG_PARAGRAPH_CHARACTERS && pauseAfter(lastWord(previous.text), segment.text) === 'sentence')

const lastWord = (text: string) => text.slice(text.lastIndexOf(' ') + 1)

/** SubRip with CRLF, comma and numbers from 1, for old players. It has no speakers, so names go into the text. */
async function* srt(segments: Segments): AsyncGenerator<string> {
  let number = 0
  for await (const { startMs, endMs, lines } of captionCues(withSpeakerNames(segments))) {
    const time = `${timestamp(startMs, ',')} --> ${timestamp(endMs, ',')}`
    yield `${[++number, time, ...lines.map(withoutArrows)].join('\r\n')}\r\n\r\n`
  }
}

async function* withSpeakerNames(segments: Segments): AsyncGenerator<Segment> {
  let speaker: string | undefined
  for await (const segment of segments) {
    const isChanged = segment.speaker !== undefined && segment.speaker !== speaker
    yield isChanged ? { ...segment, text: `${segment.speaker}: ${segment.text}` } : segment
    speaker = segment.speaker
  }
}

/** SRT has no escapes: players would parse an arrow in the text as a time line. */
const withoutArrows = (line: string) => line.replaceAll('-->', '→')

/** WebVTT. Speakers are voice spans. */
async function* vtt(segments: Segments): AsyncGenerator<string> {
  yield 'WEBVTT\n'
  for await (const cue of captionCues(segments)) yield `\n${vttCue(cue)}\n`
}

const vttCue = ({ startMs, endMs, lines, speaker }: ScreenCue) => {
  const time = `${timestamp(startMs, '.')} --> ${timestamp(endMs, '.')}`
  const voice = speaker ? `<v ${escapeVtt(speaker)}>` : ''
  return `${time}\n${voice}${lines.map(escapeVtt).join('\n')}`
}

/** `<` would start a tag, `&` an entity, and `-->` would end the cue. */
const escapeVtt = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const writers: Record<WrittenFormat, (segments: Segments) => AsyncIterable<string>> = { txt, srt, vtt }
