import type { Answer, Piece, PieceLimits } from '../recognition.ts'

export const providerNames = ['openai', 'deepgram', 'assemblyai'] as const
export type ProviderName = (typeof providerNames)[number]

/** The caller's `providerOptions`, passed on as they came. */
export type ProviderOptions = Record<string, unknown>

export interface ProviderPiece extends Piece {
  options: ProviderOptions
  apiKey: string
}

export interface ProviderJob {
  providerJobId: string
  apiKey: string
  signal: AbortSignal
}

/**
 * One third-party service. A provider either answers `start` at once, or answers `pending`; then `poll` is
 * asked every `pollAfterMs` until it is done, and `forget` once the result is kept (or the job is given up).
 *
 * What goes wrong comes back as a value. Nothing that comes back, and nothing thrown, holds the key.
 */
export interface SpeechProvider {
  readonly name: ProviderName
  readonly limits: PieceLimits
  /** Options that reading the answer depends on, each with the reason why a caller can't set it. */
  readonly reservedOptions: Readonly<Record<string, string>>
  start(piece: ProviderPiece): Promise<Answer>
  poll(job: ProviderJob): Promise<Answer>
  /** Removes what the provider keeps of the job. False when that did not work and may be tried again. */
  forget(job: ProviderJob): Promise<boolean>
}

export interface RefusedOption {
  option: string
  message: string
}

/** Told to the caller before a job exists, rather than overridden behind their back. */
export const refusedOptions = (provider: SpeechProvider, options: ProviderOptions): RefusedOption[] =>
  Object.keys(options)
    .filter((option) => Object.hasOwn(provider.reservedOptions, option))
    .map((option) => ({ option, message: `${option} cannot be set: ${provider.reservedOptions[option]}` }))

/** For providers that answer at once. */
export const nothingLater: Pick<SpeechProvider, 'poll' | 'forget'> = {
  poll: async () => {
    throw new Error('This provider answers at once: there is nothing to poll')
  },
  forget: async () => true,
}
