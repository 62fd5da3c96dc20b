import { failureAdvice, refusalAdvice } from '../../../../domain/codes/advice.ts'
import { type FailureCode, failures } from '../../../../domain/codes/failures.ts'
import { type RefusalCode, refusals } from '../../../../domain/codes/refusals.ts'
import { table } from './table.ts'

/** The codes, from the tables that the API itself uses. */
export const codeTables = {
  refusals: table(
    ['Status', 'Code', 'Meaning', 'What to do'],
    Object.entries(refusals).map(([code, { status, message }]) => [
      `${status}`,
      `\`${code}\``,
      escaped(message),
      refusalAdvice[code as RefusalCode],
    ]),
  ),
  failures: table(
    ['Code', 'Meaning', 'Retryable', 'What to do'],
    Object.entries(failures).map(([code, { message, retryable }]) => [
      `\`${code}\``,
      escaped(message),
      retryable ? 'yes' : 'no',
      failureAdvice[code as FailureCode],
    ]),
  ),
}

/** Messages are plain text. */
function escaped(message: string): string {
  return message.replace(/[<_*`]/g, '\\$&')
}
