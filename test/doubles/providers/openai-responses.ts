import type OpenAI from 'openai'
import { type Sentence, secondsOf, textOf } from './speech.ts'

/** The four response formats of a transcription, with the types of the official client. */
export const bodyOf = (
  format: string,
  sentences: Sentence[],
  form: FormData,
  language: string | null,
): object | string => {
  if (format === 'verbose_json')
    return verbose(sentences, form.getAll('timestamp_granularities[]').map(String), language)
  if (format === 'diarized_json') return diarized(sentences, form.getAll('known_speaker_names[]').map(String))
  if (format === 'json') return plain(sentences, String(form.get('model')))
  return `${textOf(sentences)}\n`
}

const verbose = (
  sentences: Sentence[],
  granularities: string[],
  language: string | null,
): OpenAI.Audio.TranscriptionVerbose & { task: 'transcribe' } => ({
  task: 'transcribe',
  // A lower-case English name, never the requested code.
  language: new Intl.DisplayNames('en', { type: 'language' }).of(language ?? 'en')?.toLowerCase() ?? 'english',
  duration: secondsOf(sentences),
  text: textOf(sentences),
  // There are no segments if only `word` is requested.
  ...(granularities.length === 0 || granularities.includes('segment')
    ? { segments: sentences.map(verboseSegment) }
    : {}),
  ...(granularities.includes('word')
    ? {
        words: sentences.flatMap(({ words }) =>
          words.map(({ text, start, end }) => ({
            word: text.replace(/\W+$/, ''),
            start: start as number,
            end: end as number,
          })),
        ),
      }
    : {}),
  usage: { type: 'duration', seconds: Math.ceil(secondsOf(sentences)) },
})

const verboseSegment = ({ text, start, end }: Sentence, id: number): OpenAI.Audio.TranscriptionSegment => ({
  id,
  seek: 0,
  start,
  end,
  text: ` ${text}`,
  tokens: [50364, ...text.split(' ').map((word) => 1000 + word.length), 50464],
  temperature: 0,
  avg_logprob: -0.2860786020755768,
  compression_ratio: 1.2363636493682861,
  no_speech_prob: 0.00985979475080967,
})

const diarized = (sentences: Sentence[], knownNames: string[]): OpenAI.Audio.TranscriptionDiarized => ({
  task: 'transcribe',
  duration: secondsOf(sentences),
  text: textOf(sentences),
  segments: sentences.map(({ text, start, end, speaker }, index) => ({
    type: 'transcript.text.segment',
    id: `seg_${index}`,
    start,
    end,
    text: ` ${text}`,
    speaker: knownNames[speaker ?? 0] ?? String.fromCharCode(65 + (speaker ?? 0)),
  })),
  usage: { type: 'duration', seconds: Math.ceil(secondsOf(sentences)) },
})

const plain = (sentences: Sentence[], model: string): OpenAI.Audio.Transcription => ({
  text: textOf(sentences),
  usage:
    model === 'whisper-1'
      ? { type: 'duration', seconds: Math.ceil(secondsOf(sentences)) }
      : {
          type: 'tokens',
          total_tokens: 101,
          input_tokens: 14,
          input_token_details: { text_tokens: 0, audio_tokens: 14 },
          output_tokens: 87,
        },
})
