import type { Segment } from '../../domain/words/segment.ts'
import { captionCues, type ScreenCue, timestamp } from './caption-cues.ts'
import type { Layout, Segments } from './transcript-layout.ts'

/** SubRip with CRLF, comma and numbers from 1, for old players. It has no speakers, so names go into the text. */
export async function* srt(segments: Segments, layout: Layout): AsyncGenerator<string> {
  let number = 0
  for await (const { startMs, endMs, lines } of captionCues(namedIf(layout.speakers, segments), layout)) {
    const time = `${timestamp(startMs, ',')} --> ${timestamp(endMs, ',')}`
    yield `${[++number, time, ...lines.map(withoutArrows)].join('\r\n')}\r\n\r\n`
  }
}

/** SRT has no escapes: players would parse an arrow in the text as a time line. */
const withoutArrows = (line: string) => line.replaceAll('-->', '→')

/** WebVTT. Players do not show voice spans, which are for style sheets and programs, so names are in the text too. */
export async function* vtt(segments: Segments, layout: Layout): AsyncGenerator<string> {
  yield 'WEBVTT\n'
  for await (const cue of captionCues(namedIf(layout.speakers, segments), layout)) {
    yield `\n${vttCue(cue, layout.speakers)}\n`
  }
}

const vttCue = ({ startMs, endMs, lines, speaker }: ScreenCue, withVoice: boolean) => {
  const time = `${timestamp(startMs, '.')} --> ${timestamp(endMs, '.')}`
  const voice = withVoice && speaker ? `<v ${escapeVtt(speaker)}>` : ''
  return `${time}\n${voice}${lines.map(escapeVtt).join('\n')}`
}

/** `<` would start a tag, `&` an entity, and `-->` would end the cue. */
const escapeVtt = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const namedIf = (speakers: boolean, segments: Segments): Segments => (speakers ? withSpeakerNames(segments) : segments)

/** A name precedes the first words after the speaker has changed. */
async function* withSpeakerNames(segments: Segments): AsyncGenerator<Segment> {
  let speaker: string | undefined
  for await (const segment of segments) {
    const isChanged = segment.speaker !== undefined && segment.speaker !== speaker
    yield isChanged ? { ...segment, text: `${segment.speaker}: ${segment.text}` } : segment
    speaker = segment.speaker
  }
}
