import type { ProviderV4, TranscriptionModelV4 } from '@ai-sdk/provider'
import { transcribe } from 'ai'
import { createHaul, type HaulModelId, type HaulTranscriptionOptions, haul } from 'haul-client/ai'

/** Programs of users of the AI SDK, which must compile with strict settings. Nothing runs them. */
const own = createHaul({ apiKey: 'haul_…', baseUrl: 'https://haul.example.com', fetch })
const provider: ProviderV4 = own
const model: TranscriptionModelV4 = own.transcription('haul-auto')
const names: HaulModelId[] = ['haul-auto', 'haul-builtin', 'provider_a', 'deepgram', 'one of the operator']

const options = {
  language: 'de',
  speakers: { max: 2 },
  clip: { start: '1:00', end: 90 },
} satisfies HaulTranscriptionOptions
const { text, segments, words, language, durationInSeconds, providerMetadata } = await transcribe({
  model: haul.transcription('haul-builtin'),
  audio: new URL('https://example.com/talk'),
  timestampGranularities: ['word'],
  providerOptions: { haul: options },
})
const seconds: number | undefined = durationInSeconds
console.log(
  text.length,
  segments[0]?.startSecond,
  words?.[0]?.text,
  language?.length,
  seconds,
  providerMetadata.haul?.jobId,
)
await transcribe({ model, audio: new Uint8Array(3), providerOptions: { haul: { maxCostDollars: 1 } } })
console.log(provider.transcriptionModel?.('haul-auto').modelId, names)

// @ts-expect-error: an option of the client is no field of the request
const wrong: HaulTranscriptionOptions = { wait: false }
// @ts-expect-error: a misspelled field
const misspelled: HaulTranscriptionOptions = { maxCostDollar: 1 }
// @ts-expect-error: the key is a string
createHaul({ apiKey: 1 })
console.log(wrong, misspelled)
