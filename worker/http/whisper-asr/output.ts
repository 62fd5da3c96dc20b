import { milliseconds, type Segment } from '../../../domain/words/segment.ts'
import { inChunks, streamOf } from '../../media/chunks.ts'
import { transcriptText } from '../../media/json-with-transcript.ts'
import { segmentsOf } from '../../media/transcripts.ts'
import { baseLanguage, languageName } from '../../speech/languages.ts'
import { asFile, type EndedTranscript } from '../one-call/transcript.ts'
import { jsonList, whisperSegment } from '../openai/response-body.ts'
import type { AsrQuery, Output } from './query.ts'

/** Transcripts as whisper-asr-webservice writes them. */
export const outputOf = async (
  transcript: EndedTranscript,
  { output, word_timestamps, diarize }: AsrQuery,
): Promise<ReadableStream<Uint8Array> | null> => {
  if (output === 'srt' || output === 'vtt') return asFile(transcript, output, { speakers: diarize })
  const opened = await transcript.open(output === 'json' && word_timestamps)
  if (!opened) return null
  if (output !== 'json') return streamOf(inChunks(lines[output](segmentsOf(opened))))
  const plain = await transcript.open(false)
  return plain && streamOf(json(transcript, transcriptText(plain), segmentsOf(opened)))
}

async function* txt(segments: AsyncIterable<Segment>): AsyncGenerator<string> {
  for await (const { text, speaker } of segments) yield speaker === undefined ? `${text}\n` : `[${speaker}]: ${text}\n`
}

/** Times are whole milliseconds here, and seconds in GET /transcribe/transcript. */
async function* tsv(segments: AsyncIterable<Segment>): AsyncGenerator<string> {
  yield 'start\tend\ttext\n'
  for await (const { start, end, text } of segments) {
    yield `${Math.round(start * 1_000)}\t${Math.round(end * 1_000)}\t${text.replace(/\s+/gu, ' ')}\n`
  }
}

const lines: Record<
  Exclude<Output, 'srt' | 'vtt' | 'json'>,
  (segments: AsyncIterable<Segment>) => AsyncGenerator<string>
> = { txt, tsv }

async function* json(
  { language }: EndedTranscript,
  text: AsyncIterable<Uint8Array>,
  segments: AsyncIterable<Segment>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  yield encoder.encode('{"text":')
  yield* text
  yield encoder.encode(`,"language":${JSON.stringify(baseLanguage(language))}`)
  yield* jsonList('segments', numbered(segments))
  yield encoder.encode('}')
}

async function* numbered(segments: AsyncIterable<Segment>): AsyncGenerator<object> {
  let id = 0
  for await (const segment of segments) {
    const { words, speaker } = segment
    const more = { ...(words && { words: words.map(wordOf) }), ...(speaker !== undefined && { speaker }) }
    yield { ...whisperSegment(segment, id++), ...more }
  }
}

const wordOf = ({ text, start, end, confidence = 1 }: NonNullable<Segment['words']>[number]) => ({
  word: text,
  start: milliseconds(start),
  end: milliseconds(end),
  probability: confidence,
})

export const languageOf = ({ language, languageProbability }: EndedTranscript) => ({
  detected_language: languageName(language) ?? 'unknown',
  language_code: baseLanguage(language),
  confidence: languageProbability ?? (language === 'und' ? 0 : 1),
})
