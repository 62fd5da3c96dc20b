import type { FailureCode } from '../../worker/domain/codes/failures.ts'

/** Thrown wherever a source can't be had; caught once, at the end of the step. */
export class SourceFailure extends Error {
  readonly code: FailureCode
  constructor(code: FailureCode, message?: string, options?: ErrorOptions) {
    super(message ?? code, options)
    this.code = code
  }
}
