import { providerSlots, type TranscribeRequest } from '../../../domain/jobs/job.ts'

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
