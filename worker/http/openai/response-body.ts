import { milliseconds, type Segment } from '../../../domain/words/segment.ts'
import { contentTypes } from '../../../domain/words/transcript-formats.ts'
import { seam } from '../../../domain/words/writing.ts'
import { inChunks, streamOf } from '../../media/chunks.ts'
import { type OpenTranscript, transcriptText } from '../../media/json-with-transcript.ts'
import { segmentsOf, wordsOf } from '../../media/transcripts.ts'
import { languageName } from '../../speech/languages.ts'
import { asFile, type EndedTranscript, type Writing } from '../one-call/respond-when-ended.ts'
import { errorBody, failedJobError } from './errors.ts'
import type { Asked } from './transcription-form.ts'

export const bodyRendering = (asked: Asked): Writing => {
  const { format } = asked
  const type = contentTypeOf(format)
  return {
    headers: { 'Content-Type': type },
    begins: format === 'vtt' ? 'WEBVTT\n' : '',
    // Blank before JSON, and lines without text before text and subtitles.
    waits: type === JSON_TYPE ? ' ' : '\n',
    waitsPerSilence: 6,
    body: (transcript) => writtenBody(transcript, asked),
  }
}

const PLAIN = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json'

const contentTypeOf = (format: Asked['format']): string => {
  if (format === 'srt' || format === 'vtt') return contentTypes[format]
  return format === 'text' ? PLAIN : JSON_TYPE
}

const writtenBody = async (transcript: EndedTranscript, asked: Asked): ReturnType<Writing['body']> => {
  const { format } = asked
  if (format === 'srt' || format === 'vtt') return asFile(transcript, format)
  const plain = await transcript.open(false)
  if (!plain) return null
  if (format === 'text') return streamOf(inChunks(line(segmentsOf(plain))))
  return streamOf(jsonObject(membersOf(transcript, textMember(plain), asked)))
}

type Member = object | AsyncGenerator<Uint8Array>

const membersOf = (transcript: EndedTranscript, text: Member, { format, task, segments, words }: Asked): Member[] => {
  const { durationSeconds: duration, hasWords } = transcript
  const usage = { usage: { type: 'duration', seconds: duration } }
  if (format === 'json') return [text, usage]
  if (format === 'diarized_json')
    return [{ task, duration }, text, listMember('segments', spoken(again(transcript))), usage]
  const language = task === 'translate' ? 'english' : (languageName(transcript.language) ?? 'unknown')
  return [
    { task, language, duration },
    text,
    ...(segments ? [listMember('segments', numbered(again(transcript)))] : []),
    ...(words && hasWords ? [listMember('words', timedWords(transcript))] : []),
    usage,
  ]
}

const encode = (written: string): Uint8Array => new TextEncoder().encode(written)

/** One line, as in the other formats. */
async function* line(segments: AsyncIterable<Segment>): AsyncGenerator<string> {
  for await (const { delta } of withDeltas(segments)) yield delta
  yield '\n'
}

/** Each segment with what it adds to the text. Together, the deltas are the text of the transcript. */
async function* withDeltas<Spoken extends { text: string }>(
  segments: AsyncIterable<Spoken>,
): AsyncGenerator<{ segment: Spoken; delta: string }> {
  let previous = ''
  for await (const segment of segments) {
    const { text } = segment
    yield { segment, delta: previous === '' ? text : seam(previous, text) + text }
    previous = text
  }
}

/** A JSON object that is written while its values are read. Members are plain fields, or generators of their own JSON. */
export async function* jsonObject(members: Member[]): AsyncGenerator<Uint8Array> {
  let separator = '{'
  for (const member of members) {
    yield encode(separator)
    if (Symbol.asyncIterator in member) yield* member
    else yield encode(JSON.stringify(member).slice(1, -1))
    separator = ','
  }
  yield encode('}')
}

export async function* textMember(plain: OpenTranscript): AsyncGenerator<Uint8Array> {
  yield encode('"text":')
  yield* transcriptText(plain)
}

const reopened = async (transcript: EndedTranscript, withWords: boolean): Promise<OpenTranscript> => {
  const opened = await transcript.open(withWords)
  if (!opened) throw new Error('the transcript was removed while it was sent')
  return opened
}

/** The segments, read once more after the text. */
async function* again(transcript: EndedTranscript): AsyncGenerator<Segment> {
  yield* segmentsOf(await reopened(transcript, false))
}

export async function* numbered(
  segments: AsyncIterable<Segment>,
  more: (segment: Segment) => object = () => ({}),
): AsyncGenerator<object> {
  let id = 0
  for await (const segment of segments) yield { ...whisperSegment(segment, id++), ...more(segment) }
}

/** Whisper's measurements are not known here. These values are those of an unremarkable segment. */
const whisperSegment = ({ start, end, text }: Segment, id: number) => ({
  id,
  seek: 0,
  start: milliseconds(start),
  end: milliseconds(end),
  text,
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 1,
  no_speech_prob: 0,
})

export async function* spoken(segments: AsyncIterable<Segment>) {
  let id = 0
  for await (const { start, end, text, speaker = UNKNOWN_SPEAKER } of segments) {
    const times = { start: milliseconds(start), end: milliseconds(end) }
    yield { type: 'transcript.text.segment', id: `seg_${id++}`, ...times, text, speaker }
  }
}

/** The engine could not tell whose voice it is. */
const UNKNOWN_SPEAKER = 'unknown'

async function* timedWords(transcript: EndedTranscript): AsyncGenerator<object> {
  const words = wordsOf(await reopened(transcript, true))
  for await (const { text, start, end } of words) yield { word: text, start, end }
}

export async function* listMember(name: string, values: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  yield encode(`"${name}":[`)
  yield* inChunks(separated(values))
  yield encode(']')
}

async function* separated(values: AsyncIterable<object>): AsyncGenerator<string> {
  let separator = ''
  for await (const value of values) {
    yield separator + JSON.stringify(value)
    separator = ','
  }
}

export const eventsRendering = (asked: Asked): Writing => ({
  headers: { 'Content-Type': 'text/event-stream; charset=utf-8' },
  begins: '',
  waits: ': waiting\n\n',
  waitsPerSilence: 4,
  body: async (transcript) => {
    const opened = await transcript.open(false)
    return opened && streamOf(inChunks(events(spoken(segmentsOf(opened)), asked)))
  },
  failedLate: (job, reason) => `event: error\ndata: ${JSON.stringify(errorBody(failedJobError(job, reason)))}\n\n`,
})

/** OpenAI's packages read the type from the data, so that the events need no name. */
const eventOf = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

async function* events(segments: ReturnType<typeof spoken>, { format }: Asked): AsyncGenerator<string> {
  const bySpeaker = format === 'diarized_json'
  let text = ''
  for await (const { segment, delta } of withDeltas(segments)) {
    text += delta
    yield eventOf({ type: 'transcript.text.delta', delta, ...(bySpeaker && { segment_id: segment.id }) })
    if (bySpeaker) yield eventOf(segment)
  }
  yield eventOf({ type: 'transcript.text.done', text })
}
