import { HaulApiError, HaulConnectionError, HaulJobError, HaulTimeoutError } from '../src/index.ts'
import { DownloadError } from './files/download.ts'

export const exitCodes = {
  done: 0,
  failed: 1,
  refused: 2,
  money: 3,
  unavailable: 4,
} as const

/** Jobs that fail with these codes need money, or a ceiling or a budget that allows it. */
const moneyCodes = [
  'INSUFFICIENT_BALANCE',
  'KEY_BUDGET_EXCEEDED',
  'MAX_COST_EXCEEDED',
  'MAX_COST_REQUIRED',
  'PROVIDER_QUOTA',
]

export const exitCodeOfFailure = (code: string | null | undefined): number =>
  moneyCodes.includes(code ?? '') ? exitCodes.money : exitCodes.failed

const exitCodeOfStatus = (status: number): number => {
  if (status === 402) return exitCodes.money
  return status === 429 || status >= 500 ? exitCodes.unavailable : exitCodes.refused
}

export const exitCodeOf = (error: unknown): number => {
  if (error instanceof Reported) return error.exitCode
  if (error instanceof UsageError) return exitCodes.refused
  if (error instanceof HaulJobError) return exitCodeOfFailure(error.code)
  if (error instanceof HaulApiError) return exitCodeOfStatus(error.status)
  if (error instanceof HaulConnectionError || error instanceof HaulTimeoutError) return exitCodes.unavailable
  if (error instanceof DownloadError) return error.status === null ? exitCodes.unavailable : exitCodes.failed
  return exitCodes.failed
}

/** The command line or a local file is wrong: nothing was sent, or nothing more can be done. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Ends the command without another message: the problem has been printed, or the user has interrupted. */
export class Reported extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`Exit code ${exitCode}.`)
    this.exitCode = exitCode
  }
}

/** The user pressed Ctrl-C, or the process was told to end. */
export class Interrupted extends Reported {
  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(signal === 'SIGINT' ? 130 : 143)
  }
}
