import type { JsonSchema } from '../../../support/json-schema-values.ts'

/**
 * What the descriptions of these schemas say in words, as JSON Schema. The document does not have it: generators of clients
 * make unions of it, or no type at all.
 */
const thirdParties = ['provider_a', 'provider_b', 'provider_c', 'openai', 'deepgram', 'assemblyai']

const exactlyOne = (...names: string[]): JsonSchema => ({ oneOf: names.map((name) => ({ required: [name] })) })

const recognizesSpeech: JsonSchema = {
  anyOf: [{ required: ['provider'] }, { required: ['mode'], properties: { mode: { enum: ['speech', 'auto'] } } }],
}

const usesBuiltin: JsonSchema = {
  anyOf: [
    { required: ['provider'], properties: { provider: { const: 'builtin' } } },
    { required: ['mode'], properties: { mode: { enum: ['speech', 'auto'] } }, not: { required: ['provider'] } },
  ],
}

const otherKey: JsonSchema = {
  required: ['storageKey'],
  anyOf: [{ required: ['storagePath'] }, { required: ['storageFilename'] }],
}

const importRules: JsonSchema = {
  not: {
    anyOf: [
      {
        required: ['includeVideo', 'includeAudio'],
        properties: { includeVideo: { const: false }, includeAudio: { const: false } },
      },
      {
        required: ['audioFormat'],
        properties: { audioFormat: { not: { enum: ['source'] } } },
        not: { required: ['includeVideo'], properties: { includeVideo: { const: false } } },
      },
      otherKey,
      { required: ['formats'], not: { anyOf: [{ required: ['captions'] }, { required: ['transcribe'] }] } },
      {
        required: ['includeAudio', 'transcribe'],
        properties: { includeAudio: { const: false }, transcribe: recognizesSpeech },
      },
    ],
  },
}

const transcribeRules: JsonSchema = {
  not: {
    anyOf: [
      {
        anyOf: [{ required: ['apiKey'] }, { required: ['providerOptions'] }],
        not: { required: ['provider'], properties: { provider: { enum: thirdParties } } },
      },
      { required: ['model'], not: usesBuiltin },
      otherKey,
      { required: ['mode', 'provider'], properties: { mode: { const: 'captions' } } },
      {
        required: ['mode', 'captionsFirst'],
        properties: { mode: { enum: ['captions', 'speech'] }, captionsFirst: { const: true } },
      },
    ],
  },
}

const given: JsonSchema = { not: { const: null } }
const withKey: JsonSchema = { required: ['apiKey'] }

/** One kind of items, and no provider key. */
const watchRules: JsonSchema = {
  not: {
    anyOf: [
      { required: ['import', 'transcribe'], properties: { import: given, transcribe: given } },
      { required: ['transcribe'], properties: { transcribe: withKey } },
      {
        required: ['import'],
        properties: { import: { required: ['transcribe'], properties: { transcribe: withKey } } },
      },
    ],
  },
}

export const rulesInWords: Record<string, JsonSchema> = {
  ImportRequest: importRules,
  ImportOptions: importRules,
  TranscribeRequest: { ...transcribeRules, ...exactlyOne('url', 'importId', 'uploadId') },
  TranscribeOptions: transcribeRules,
  WordsOptions: transcribeRules,
  BatchRequest: {
    allOf: [exactlyOne('urls', 'playlistUrl'), exactlyOne('import', 'transcribe')],
    dependentRequired: { limit: ['playlistUrl'] },
  },
  WatchRequest: watchRules,
  WatchChanges: watchRules,
}
