import { thirdParties } from '../jobs/providers.ts'
import { MAX_JOB_DOLLARS, MAX_MODEL_CHARACTERS } from '../limits.ts'
import { transcribeFileOptions } from './file-options.ts'
import type { Options } from './option.ts'
import {
  clip,
  index,
  languageTag,
  maxCostField,
  maxSeconds,
  metadata,
  reuseWithinSeconds,
  webhookUrl,
} from './shared-options.ts'
import { storageFilename, storageOptions } from './storage-options.ts'

export const MAX_SPEAKERS = 50
const MAX_PROMPT_CHARACTERS = 1_000
export const MAX_PROVIDER_OPTIONS_LEVELS = 20

const keyword = { type: 'text', max: 60, pattern: /\S/, message: 'must not be empty' } as const

/** In the console: speech may be recognized. */
const speech = 'auto builtin provider_a provider_b provider_c'

/** How the words are found. The `transcribe` of an import has these too. */
export const wordsOptions = {
  mode: {
    shape: { type: 'choice', values: ['captions', 'speech', 'auto'] },
    about:
      'The way to the transcript. `captions`: those of the source, and nothing else. `speech`: speech recognition by the `provider`, or `builtin`. `auto`: captions where the source has them, else speech recognition. When omitted: `speech` with a `provider`, else `captions`. `captions` is not allowed with a `provider`.',
    flags: [
      ['transcribe', '--mode <mode>', 'captions, speech, or auto for either (the default)'],
      ['batch', '--mode <mode>', 'with --transcribe: captions (default), speech, auto'],
      ['import batch', '--transcript [mode]', 'its transcript: captions, speech or auto (default)', 'auto'],
    ],
  },
  provider: {
    shape: { type: 'choice', values: [...thirdParties, 'builtin'] },
    about:
      'The speech recognition to use: `builtin`, or a third party by its neutral name or by the name of the service that the operator configured for it. Answers have the neutral name.',
    mcp: {
      shape: { type: 'choice', values: ['builtin', ...thirdParties] },
      about:
        'Recognize the speech, without a look at captions. builtin needs no key. openai, deepgram and assemblyai need a key that the user has stored, and an operator who offers them; provider_a, provider_b and provider_c are the neutral names of those that are offered.',
    },
    flags: [
      ['transcribe', '--provider <provider>', 'recognize the speech: builtin, openai …'],
      ['import batch', '--provider <provider>', 'of transcripts: recognize the speech: builtin …'],
    ],
  },
  model: {
    shape: { type: 'text', max: MAX_MODEL_CHARACTERS },
    about:
      'The model of the built-in engine, by its name in `GET /models`. Only with `provider: "builtin"`, or `mode: "speech"` or `"auto"` without a provider. When omitted, the default model, which also hears a detected language that the named one does not know.',
    example: 'whisper-base',
    asr: 'The model, by its name in `GET /models`. When omitted, the default model.',
    mcp: 'The model of the built-in engine, by its name. An unknown name is an error that lists those that exist. When omitted, the default model.',
    flags: [
      ['transcribe', '--model <name>', 'the model of the built-in engine: see haul models'],
      ['import batch', '--model <name>', 'of transcripts: the model of the built-in engine'],
    ],
    // The page adds the models of the deployment.
    form: { label: 'Model', choices: [''], labels: ['Default'], shown: { way: 'auto builtin' } },
  },
  language: {
    shape: languageTag,
    about: 'A language code. Detected when omitted.',
    example: 'en',
    openai: {},
    mcp: 'A code such as en or pt-BR: of the captions, or as spoken. When omitted, the language of the media.',
    flags: [
      ['transcribe', '--language <code>', 'the language of the captions or the speech: de'],
      ['import batch', '--language <code>', 'of transcripts: the language: de'],
    ],
    form: { label: 'Language', placeholder: 'detect' },
  },
  apiKey: {
    shape: { type: 'providerKey' },
    about:
      'Your key for the provider. Only with a third party. It is encrypted, and deleted when the job ends. Defaults to the stored key.',
    form: {
      label: 'Provider key',
      placeholder: 'stored key',
      shown: { way: 'provider_a provider_b provider_c', from: 'url urls list file' },
    },
  },
  words: {
    shape: { type: 'boolean' },
    default: false,
    about:
      'The times of each word. Captions have none: `wordsAvailable` says whether the transcript has them. Not available with speakers from OpenAI, whose models return one or the other.',
    flags: [
      ['transcribe', '--words', 'the time of each word, in --format json'],
      ['import', '--words', 'of the transcript: the time of each word, in json'],
    ],
    form: { label: 'Times of words', shown: { way: speech, isMore: true } },
  },
  speakers: {
    shape: { type: 'speakers' },
    default: false,
    about:
      'Who speaks, named `A`, `B` and so on in order of first appearance. `min` and `max` limit the number of speakers, with `builtin` and AssemblyAI. Captions rarely tell: with `mode: "auto"`, those without speakers are not taken. A provider that takes long media in pieces names the speakers of each piece anew: OpenAI after 23 minutes, the others after four hours.',
    mcp: {
      shape: { type: 'boolean' },
      about: 'Identify the speakers, named A, B and so on. Captions without speakers are not used.',
    },
    flags: [
      ['import transcribe', '--speakers', 'who speaks: A, B and so on'],
      ['transcribe', '--speaker-count <number>', 'who speaks, and how many: 2, 2-4'],
    ],
    form: [
      { label: 'Who speaks', look: 'check', shown: { way: speech } },
      { label: 'Speakers at least', name: 'minSpeakers', part: 'min', shown: { way: speech, needs: 'speakers' } },
      { label: 'Speakers at most', name: 'maxSpeakers', part: 'max', shown: { way: speech, needs: 'speakers' } },
    ],
  },
  keywords: {
    shape: { type: 'list', of: keyword, max: 100 },
    about:
      'Names and terms that may be said, the most important ones first. Speech recognition uses them; captions ignore them. An engine that takes fewer uses the first ones.',
    mcp: 'Names and terms that may be said, the most important ones first. Speech recognition uses them.',
    flags: [['transcribe', '--keywords <list>', 'names and terms that may be said: "Zoe, Haul"']],
    form: {
      label: 'Names and terms that may be said',
      look: 'wide',
      placeholder: 'Elinor Dashwood, Barton Park',
      shown: { way: speech },
    },
  },
  prompt: {
    shape: { type: 'text', max: MAX_PROMPT_CHARACTERS },
    about:
      'What the speech is about, or how it is written: a sentence or two. Speech recognition uses it; captions ignore it.',
    openai: `The names and terms that may be said. The last ${MAX_PROMPT_CHARACTERS} characters count. An engine that takes none ignores it.`,
    asr: {
      name: 'initial_prompt',
      about: `The names and terms that may be said. The last ${MAX_PROMPT_CHARACTERS} characters count. A model that takes none ignores it.`,
    },
    mcp: 'What the speech is about, in a sentence or two.',
    flags: [['transcribe', '--prompt <text>', 'what the speech is about']],
    form: {
      label: 'What the speech is about, or how it is written',
      look: 'wide',
      placeholder: 'An interview about a novel by Jane Austen.',
      shown: { way: speech, isMore: true },
    },
  },
  translate: {
    shape: languageTag,
    about:
      'Translates the speech into this language. Only `en`, and only by `builtin`; with `mode: "auto"`, captions are taken if they are in English. `language` stays that of the speech.',
    example: 'en',
    mcp: {
      shape: { type: 'choice', values: ['en'] },
      about: 'Translate the speech into English. Only captions in English are used.',
    },
    flags: [['transcribe', '--translate <code>', 'translate the speech: en']],
    form: { label: 'Translate into English', look: 'check', value: 'en', shown: { way: 'auto builtin' } },
  },
  captionsFirst: {
    shape: { type: 'boolean' },
    default: false,
    about: 'With a provider: the same as `mode: "auto"`. Not allowed with another `mode`.',
  },
  maxSeconds,
  providerOptions: {
    shape: { type: 'providerOptions' },
    about: `Options for the provider, passed on unchanged: at most 16 KiB of JSON, with ${MAX_PROVIDER_OPTIONS_LEVELS} levels. Only with a third party.`,
  },
} as const satisfies Options

export const transcribeOptions = {
  ...wordsOptions,
  maxCostDollars: {
    shape: { type: 'dollars', max: MAX_JOB_DOLLARS },
    about:
      'The most that this job may be charged, including the download. Required with `builtin` if the duration is not known up front, unless recognition costs nothing. Does not include what the provider bills you.',
    openai:
      'Not in the API of OpenAI. The most that the job may be charged. Required if the duration of the media is not known up front: the error `MAX_COST_REQUIRED` then has a quote.',
    asr: 'The most that the job may be charged. Required if the duration of the media is not known up front.',
    mcp: {
      default: 0.5,
      about: 'The most that this call may cost. A higher price is an error that names it, and costs nothing.',
    },
    flags: [['transcribe', '--max-cost <dollars>', 'the most that it may cost (with auto: 1)']],
    form: maxCostField,
  },
  clip,
  reuseWithinSeconds,
  index,
  webhookUrl,
  ...storageOptions,
  ...transcribeFileOptions,
} as const satisfies Options

/** Exactly one of them is required. */
export const transcriptionSources = {
  url: {
    shape: { type: 'url' },
    about: 'A publicly accessible media URL. Either this, `importId` or `uploadId` is required.',
    openai: 'Instead of `file`: a publicly accessible media URL.',
    mcp: 'The address of a page or of a file with media. Give either url or import_id.',
  },
  importId: {
    shape: { type: 'id' },
    about: 'A completed import of this account, instead of `url`.',
    mcp: 'The job_id of a completed import_media: nothing is downloaded again.',
  },
  uploadId: { shape: { type: 'id' }, about: 'A completed upload of this account, instead of `url`.' },
} as const satisfies Options

export const transcribeFields = {
  ...transcribeOptions,
  ...transcriptionSources,
  storageFilename,
  metadata,
} as const satisfies Options
