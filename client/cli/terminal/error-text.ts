import { HaulApiError, HaulConnectionError, HaulJobError } from '../../src/index.ts'
import { printable } from './output.ts'
import { dollarsText, localTime } from './quantities.ts'

/** What a person reads about an error: a sentence, what else is known, and the names to ask about it. */
export const errorLines = (error: unknown): string[] => {
  if (error instanceof HaulApiError) return [sentence(error, error.code, error.requestId), ...factsOf(error)]
  if (error instanceof HaulJobError) {
    return [sentence(error, error.code, error.jobId), ...(error.retryable ? ['  Another attempt may succeed.'] : [])]
  }
  if (error instanceof HaulConnectionError) return [sentence(error, causeOf(error))]
  return [printable(error instanceof Error ? error.message : String(error))]
}

const sentence = ({ message }: Error, ...names: (string | null | undefined)[]): string => {
  const known = names.filter((name) => name)
  return printable(known.length > 0 ? `${message} (${known.join(', ')})` : message)
}

const factsOf = ({ details, requiredDollars, availableDollars, retryAfter, status, body }: HaulApiError): string[] => [
  // The message names the first one.
  ...details.slice(1).map(({ path, message }) => `  ${printable(`${path}: ${message}`)}`),
  ...(requiredDollars === undefined || availableDollars === undefined
    ? []
    : [`  The job needs ${dollarsText(requiredDollars)}; ${dollarsText(availableDollars)} is available.`]),
  ...(status === 402 && typeof body.resetsAt === 'string'
    ? [`  The next month of the budget begins at ${localTime(body.resetsAt)}.`]
    : []),
  ...(status === 401 ? ['  Check HAUL_API_KEY, or run `haul login`.'] : []),
  ...(status === 429 && retryAfter !== undefined ? [`  Try again in ${retryAfter} s.`] : []),
]

/** `ECONNREFUSED`, which fetch hides two levels down. */
const causeOf = (error: unknown): string | null => {
  for (let cause = (error as Error).cause; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code === 'string') return code
  }
  return null
}
