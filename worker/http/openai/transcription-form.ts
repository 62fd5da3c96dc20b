import { z } from '@hono/zod-openapi'
import { providerSlots, type TranscribeRequest } from '../../../domain/jobs/job.ts'
import { type EngineOptions, TranscribeOptions } from '../jobs/transcribe-request.ts'
import { HttpUrl } from '../schemas.ts'

type Engine = Pick<TranscribeRequest, 'captionsFirst'> & { provider: NonNullable<TranscribeRequest['provider']> }

const builtin: Engine = { provider: 'builtin', captionsFirst: false }

/** What the model names of OpenAI's API stand for. With a file, `haul-auto` looks for no captions. */
const engines = new Map<string, Engine>([
  ['haul-auto', { provider: 'builtin', captionsFirst: true }],
  ['haul-builtin', builtin],
  ...providerSlots.map((provider) => [provider, { provider, captionsFirst: false }] as const),
  // The only model that many programs offer.
  ['whisper-1', builtin],
])

export const defaultModel = 'haul-auto'

/** null: there is no such model. */
export const engineOf = (model: string): Engine | null => engines.get(model) ?? null

/** The day of the first release that has them, because the API requires a time. */
const CREATED = Date.UTC(2026, 10, 22) / 1_000

export const modelObject = (id: string) => ({ id, object: 'model' as const, created: CREATED, owned_by: 'haul' })

export const modelObjects = () => [...engines.keys()].map(modelObject)

const granularities = 'timestamp_granularities[]'
/** Some clients send lists without the brackets. */
const withoutBrackets = 'timestamp_granularities'

/** The options that the API has in common with POST /transcribe. */
const { language, maxCostDollars } = TranscribeOptions.shape

/** The text fields of the form. Fields of OpenAI's API that are not listed are ignored. */
export const TranscriptionForm = z
  .object({
    url: HttpUrl.optional().describe('Instead of `file`: a publicly accessible media URL.'),
    model: z
      .string()
      .default(defaultModel)
      .describe(
        '`haul-auto`: the captions of the URL, and built-in speech recognition where there are none. `haul-builtin` and `whisper-1`: built-in speech recognition. `provider_a`, `provider_b`, `provider_c`: that provider, with the key that is stored for it.',
      ),
    language,
    response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']).default('json'),
    [granularities]: z
      .array(z.enum(['segment', 'word']))
      .default(['segment'])
      .describe(
        'What `verbose_json` contains. `word` is only allowed there. Captions have no word times: `words` is then absent.',
      ),
    max_cost_dollars: z.coerce.number().pipe(maxCostDollars.unwrap()).optional().openapi({
      type: 'number',
      description:
        'Not in the API of OpenAI. The most that the job may be charged. Required if the duration of the media is not known up front: the error `MAX_COST_REQUIRED` then has a quote.',
    }),
    prompt: z.string().optional().describe('Has no effect.'),
    temperature: z.string().optional().openapi({ type: 'number', description: 'Has no effect.' }),
    stream: z
      .string()
      .refine(
        (value) => !/^(?:true|1)$/i.test(value),
        'is not supported: transcripts are returned when they are complete',
      )
      .optional()
      .openapi({ type: 'boolean', description: 'Only `false` is supported.' }),
  })
  .superRefine((form, context) => {
    if (!form[granularities].includes('word') || form.response_format === 'verbose_json') return
    const message = 'word is only allowed with response_format verbose_json'
    context.addIssue({ code: 'custom', path: [granularities], message })
  })

export type TranscriptionForm = z.infer<typeof TranscriptionForm>

/** The fields of a form as they were sent: the last value of each, and all of a list. Empty fields count as absent. */
export class SentFields {
  static readonly names: ReadonlySet<string> = new Set([...Object.keys(TranscriptionForm.shape), withoutBrackets])
  readonly #values: Record<string, string | string[]> = {}

  add(name: string, value: string): void {
    if (value === '') return
    if (name === granularities || name === withoutBrackets) {
      this.#values[granularities] = [...(this.#values[granularities] ?? []), value]
    } else {
      this.#values[name] = value
    }
  }

  parsed() {
    return TranscriptionForm.safeParse(this.#values)
  }
}

/** The options of the job. */
export const optionsOf = (form: TranscriptionForm, source: 'file' | 'url'): EngineOptions | null => {
  const engine = engineOf(form.model)
  return (
    engine && {
      provider: engine.provider,
      captionsFirst: engine.captionsFirst && source === 'url',
      // Requests that differ only in their granularities share a job, so each job has words.
      words: true,
      speakers: false,
      reuseWithinSeconds: 0,
      language: form.language,
      maxCostDollars: form.max_cost_dollars,
    }
  )
}

export const wantsSegments = (form: TranscriptionForm): boolean => form[granularities].includes('segment')
export const wantsWords = (form: TranscriptionForm): boolean => form[granularities].includes('word')
