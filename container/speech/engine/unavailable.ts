import { SourceFailure } from '../../source/failure.ts'

/** The engine or its weights are missing, damaged or wrong. Callers learn that it is so, /health says why. */
export class EngineUnavailable extends SourceFailure {
  readonly reason: string
  constructor(reason: string, options?: ErrorOptions) {
    super('PROVIDER_FAILED', 'The built-in speech recognition is not available.', options)
    this.reason = reason
  }
}
