import { z } from '@hono/zod-openapi'
import type { TranscribeRequest } from '../../../domain/jobs/job.ts'
import { builtinPrefixes, type Named, type OpenaiModels, ownModels } from '../../../domain/openai-models.ts'
import { askedAt, defaultsOf, tableAt } from '../../../domain/options/option.ts'
import { transcribeFields, transcribeOptions } from '../../../domain/options/transcribe-options.ts'
import { textSchemasOf } from '../jobs/option-schemas.ts'
import type { EngineOptions } from '../jobs/start-requests.ts'
import type { SentFields } from '../one-call/start-transcription.ts'

interface Engine extends Pick<TranscribeRequest, 'captionsFirst' | 'model'> {
  provider: NonNullable<TranscribeRequest['provider']>
}

/** With a file, `haul-auto` looks for no captions. */
export const engineOf = ({ engine, ...named }: Named): Engine => {
  if (engine === 'haul-auto') return { provider: 'builtin', captionsFirst: true }
  return { provider: engine === 'haul-builtin' ? 'builtin' : engine, captionsFirst: false, ...named }
}

/** In the order in which they are listed. `whisper-1` is the only one that many programs offer. */
export const listedModels = (given: OpenaiModels, offered: readonly string[]): string[] => [
  ...new Set([...ownModels, 'whisper-1', ...Object.keys(given), ...offered]),
]

export const modelsThatExist = (given: OpenaiModels, offered: readonly string[]): string =>
  `There are ${listedModels(given, offered).join(', ')}, and all whose names begin with ${builtinPrefixes.join(', ')}.`

const granularities = 'timestamp_granularities[]'
/** Some clients send lists without the brackets. */
const withoutBrackets = 'timestamp_granularities'

const { language, ...shared } = textSchemasOf(tableAt(transcribeFields, 'openai'))

const common = {
  ...shared,
  model: z.string().default('haul-auto').openapi({
    description:
      '`haul-auto`: the captions of the URL, and built-in speech recognition where there are none. A name of `GET /models`: that model of the built-in speech recognition. `haul-builtin`, `whisper-1` and other names of speech models: its default model. `provider_a`, `provider_b`, `provider_c`: that provider, with the key that is stored for it. `GET /v1/models` lists more names, if the operator has set some.',
  }),
  temperature: z.string().optional().openapi({ type: 'number', description: 'Has no effect.' }),
}

const formats = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const

const TranslationForm = z.object({ ...common, response_format: z.enum(formats).default('json') })

/** The text fields of the form. Fields of OpenAI's API that are not listed are ignored. */
const TranscriptionForm = z
  .object({
    ...common,
    language,
    response_format: z
      .enum([...formats, 'diarized_json'])
      .default('json')
      .describe('`diarized_json` needs an engine that tells who speaks.'),
    [granularities]: z
      .array(z.enum(['segment', 'word']))
      .default(['segment'])
      .describe(
        'What `verbose_json` contains. `word` is only allowed there. Captions have no word times: `words` is then absent.',
      ),
    stream: z
      .string()
      .transform((value) => /^(?:true|1)$/i.test(value))
      .optional()
      .openapi({
        type: 'boolean',
        description:
          'Server-sent events: `transcript.text.delta` for each segment, and `transcript.text.done`. They come when the transcript is complete.',
      }),
  })
  .superRefine((form, context) => {
    if (!form[granularities].includes('word') || form.response_format === 'verbose_json') return
    const message = 'word is only allowed with response_format verbose_json'
    context.addIssue({ code: 'custom', path: [granularities], message })
  })

export interface Asked {
  task: 'transcribe' | 'translate'
  format: z.infer<typeof TranscriptionForm>['response_format']
  segments: boolean
  words: boolean
  stream: boolean
}

export const forms = { transcribe: TranscriptionForm, translate: TranslationForm }

type SentForm = z.infer<(typeof forms)[keyof typeof forms]>

export const askedOf = (task: Asked['task'], form: SentForm): Asked => {
  // The form of translations has neither of these fields.
  const sent: Partial<z.infer<typeof TranscriptionForm>> = form
  const wanted = sent[granularities] ?? ['segment']
  return {
    task,
    format: form.response_format,
    segments: wanted.includes('segment'),
    words: wanted.includes('word'),
    stream: sent.stream ?? false,
  }
}

export const fieldNames: ReadonlySet<string> = new Set([...Object.keys(TranscriptionForm.shape), withoutBrackets])

/** The last value of each field, or all values of a list. Empty fields count as absent. */
export const valuesOf = (sent: SentFields): Record<string, string | string[]> => {
  const isListed = ([name]: SentFields[number]) => name === granularities || name === withoutBrackets
  const given = sent.filter(([, value]) => value !== '')
  const listed = given.filter(isListed).map(([, value]) => value)
  return { ...Object.fromEntries(given), ...(listed.length > 0 && { [granularities]: listed }) }
}

export const optionsOf = (
  engine: Engine,
  form: SentForm,
  { task, format }: Asked,
  source: 'file' | 'url',
): EngineOptions => ({
  ...defaultsOf(transcribeOptions),
  ...askedAt(transcribeOptions, 'openai', form),
  provider: engine.provider,
  ...(engine.model !== undefined && { model: engine.model }),
  captionsFirst: engine.captionsFirst && source === 'url' && task === 'transcribe' && format !== 'diarized_json',
  // Requests that differ only in their granularities share a job, so each job has words.
  words: format !== 'diarized_json',
  speakers: format === 'diarized_json',
  ...(task === 'translate' && { translate: 'en' as const }),
})
