import type { ServiceName } from '../../../domain/jobs/providers.ts'
import type { Vocabulary } from '../../../domain/protocol/protocol.ts'
import type { Asked, PieceLimits, PieceRequest, ProviderResult } from '../recognition.ts'

/** The caller's `providerOptions`, passed on unchanged. */
export type ProviderOptions = Record<string, unknown>

export interface ProviderPieceRequest extends PieceRequest {
  options: ProviderOptions
  apiKey: string
}

export interface ProviderJob {
  providerJobId: string
  apiKey: string
  signal: AbortSignal
}

/**
 * `start` returns the result, or `pending`: the caller then polls, and deletes the job once the result is stored.
 * Failures are returned, not thrown. Neither results nor errors contain the API key.
 */
export interface SpeechProvider {
  readonly name: ServiceName
  readonly limits: PieceLimits
  /** Options that callers cannot set because reading the response depends on them, each with its reason. */
  readonly reservedOptions: Readonly<Record<string, string>>
  /** Why the service cannot do what is asked for, with these options of the caller. null: it can. */
  unsupported(asked: Asked, options: ProviderOptions): Unsupported | null
  /** Options of the caller that contradict what is asked for, with the field that asks for it. */
  contradictions(asked: Asked, options: ProviderOptions): Contradiction[]
  takesVocabulary(vocabulary: Vocabulary, options: ProviderOptions): boolean
  /** Speakers that the caller has named, and whose names the service returns as labels. */
  knownSpeakers(options: ProviderOptions): string[]
  start(piece: ProviderPieceRequest): Promise<ProviderResult>
  poll(job: ProviderJob): Promise<ProviderResult>
  /** Deletes what the provider stores of the job. False if that failed; it may be tried again. */
  deleteJob(job: ProviderJob): Promise<boolean>
}

export interface Contradiction {
  option: string
  field: 'speakers' | 'prompt' | 'keywords'
}

/** Which of these options are set although `field` already says the same. */
export const setOptions = (options: ProviderOptions, names: string[], field: Contradiction['field']): Contradiction[] =>
  names.filter((name) => options[name] !== undefined).map((option) => ({ option, field }))

/** The first field of a vocabulary that the caller has filled in. */
export const vocabularyField = ({ prompt }: Vocabulary): 'prompt' | 'keywords' =>
  prompt === null ? 'keywords' : 'prompt'

export interface Unsupported {
  option: 'words' | 'speakers' | 'speakers.min' | 'speakers.max' | 'translate' | 'prompt' | 'keywords'
  reason: string
}

/** Such options are refused before a job exists, rather than overridden silently. */
export const refusedOptions = (
  provider: SpeechProvider,
  options: ProviderOptions,
  asked: Asked,
): { option: string; message: string }[] => [
  ...Object.keys(options)
    .filter((option) => Object.hasOwn(provider.reservedOptions, option))
    .map((option) => ({ option, message: `${option} cannot be set: ${provider.reservedOptions[option]}` })),
  ...provider
    .contradictions(asked, options)
    .map(({ option, field }) => ({ option, message: `${option} contradicts ${field}. Remove one of them.` })),
]

/** For providers that return the result in the same request and store nothing. */
export const synchronous: Pick<SpeechProvider, 'poll' | 'deleteJob'> = {
  poll: async () => {
    throw new Error('This provider returns results in the same request: there is nothing to poll')
  },
  deleteJob: async () => true,
}
