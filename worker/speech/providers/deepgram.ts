import { z } from 'zod'
import type { Segment } from '../../domain/words/segment.ts'
import { languageCode } from '../languages.ts'
import { type Answer, done, pieceEncoding, spoken } from '../recognition.ts'
import { exchange } from './exchange.ts'
import { nothingLater, type ProviderOptions, type ProviderPiece, type SpeechProvider } from './provider.ts'

/** Deepgram takes the bytes as they are, its options in the query, and answers in the same request. */
export const deepgram = (baseUrl = 'https://api.deepgram.com'): SpeechProvider => ({
  ...nothingLater,
  name: 'deepgram',
  limits: {
    // 2 GB a file; four hours stay well below its ten minutes of processing.
    maxBytes: 2_000_000_000,
    maxSeconds: 14_400,
    encoding: pieceEncoding,
  },
  reservedOptions: {
    utterances: 'segments are read from the utterances.',
    callback: 'the answer is read in the same request. Use webhookUrl instead.',
    callback_method: 'the answer is read in the same request. Use webhookUrl instead.',
    encoding: 'the audio is encoded by the service.',
    sample_rate: 'the audio is encoded by the service.',
  },
  start: async (piece) => {
    const reply = await exchange({
      provider: 'deepgram',
      apiKey: piece.apiKey,
      scheme: 'Token ',
      method: 'POST',
      url: `${baseUrl}/v1/listen?${queryOf(piece)}`,
      contentType: pieceEncoding.contentType,
      body: { stream: piece.audio, sizeBytes: piece.sizeBytes },
      answer: Listened,
      signal: piece.signal,
    })
    return reply.ok ? read(reply.body, piece) : reply.answer
  },
})

const queryOf = ({ options, language }: ProviderPiece): URLSearchParams => {
  const query = new URLSearchParams(defaults(options, language))
  for (const [name, value] of Object.entries(options))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== null && item !== undefined)
        query.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item))
  query.append('utterances', 'true')
  return query
}

const defaults = (options: ProviderOptions, language: string | null): Record<string, string> => ({
  ...(options.model === undefined ? { model: 'nova-3' } : {}),
  ...(options.smart_format === undefined ? { smart_format: 'true' } : {}),
  ...(options.language !== undefined || options.detect_language !== undefined
    ? {}
    : language === null
      ? { detect_language: 'true' }
      : { language }),
})

const ListenedWord = z.object({
  word: z.string(),
  punctuated_word: z.string().optional(),
  start: z.number(),
  end: z.number(),
  speaker: z.number().optional(),
})

const Listened = z.object({
  metadata: z.object({ duration: z.number() }),
  results: z.object({
    channels: z
      .array(
        z.object({
          detected_language: z.string().optional(),
          alternatives: z.array(z.object({ transcript: z.string(), words: z.array(ListenedWord).default([]) })).min(1),
        }),
      )
      .min(1),
    utterances: z
      .array(z.object({ start: z.number(), end: z.number(), transcript: z.string(), speaker: z.number().optional() }))
      .optional(),
  }),
})

const read = ({ metadata, results }: z.infer<typeof Listened>, piece: ProviderPiece): Answer => {
  const [channel] = results.channels
  const heard = channel?.alternatives[0]
  const words = (heard?.words ?? []).map(({ start, end, word, punctuated_word, speaker }) =>
    spoken(start, end, punctuated_word ?? word, speaker),
  )
  const asked = typeof piece.options.language === 'string' ? piece.options.language : piece.language
  return done({
    segments: results.utterances
      ? results.utterances.map(({ start, end, transcript, speaker }) => spoken(start, end, transcript, speaker))
      : asOne(words, heard?.transcript ?? ''),
    words,
    language: languageCode(channel?.detected_language ?? asked),
    durationSeconds: metadata.duration,
    text: heard?.transcript ?? '',
  })
}

const asOne = (words: Segment[], text: string): Segment[] =>
  text === '' ? [] : [spoken(words[0]?.start ?? 0, words.at(-1)?.end ?? 0, text)]
