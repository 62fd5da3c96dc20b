import { type Failure, type FailureCode, failure, failures } from '../../domain/codes/failures.ts'
import type { Answer } from '../recognition.ts'
import type { ProviderName } from './provider.ts'
import { redact } from './redact.ts'

/** What a provider said instead of a transcript. `text` is its body, of any type and shape. */
export interface Complaint {
  status: number
  text: string
  retryAfterSeconds: number | null
}

interface Row {
  status: (status: number) => boolean
  /** Looked for in the provider's code and words, where the status alone does not tell. */
  says?: RegExp
  code: FailureCode
  retryable: boolean
  message?: string
}

const among =
  (...statuses: number[]) =>
  (status: number): boolean =>
    statuses.includes(status)

const keyRejected: Row = { status: among(401, 403), code: 'PROVIDER_KEY_REJECTED', retryable: false }
const rateLimited: Row = { status: among(429), code: 'PROVIDER_RATE_LIMITED', retryable: true }
const unavailable: Row = {
  status: (status) => status === 408 || status >= 500,
  code: 'PROVIDER_FAILED',
  retryable: true,
  message: 'The provider is unavailable.',
}

/** The first row that fits decides. Whatever fits none is a refusal of this request, which no repetition mends. */
const table: Record<ProviderName, Row[]> = {
  openai: [
    keyRejected,
    { status: among(429), says: /insufficient_quota|billing/i, code: 'PROVIDER_QUOTA', retryable: false },
    rateLimited,
    unavailable,
  ],
  deepgram: [keyRejected, { status: among(402), code: 'PROVIDER_QUOTA', retryable: false }, rateLimited, unavailable],
  assemblyai: [
    keyRejected,
    { status: among(400, 402), says: /balance|insufficient funds/i, code: 'PROVIDER_QUOTA', retryable: false },
    rateLimited,
    unavailable,
  ],
}

export const failureOf = (provider: ProviderName, complaint: Complaint, apiKey: string): Answer => {
  const { code, words } = readComplaint(complaint.text)
  const row = table[provider].find(
    ({ status, says }) => status(complaint.status) && (!says || says.test(`${code} ${words}`)),
  )
  if (!row) return refused(words, apiKey)
  return failed(
    { ...failure(row.code, row.message), retryable: row.retryable },
    row.retryable ? complaint.retryAfterSeconds : null,
  )
}

/** The provider understood, and won't: unsupported, corrupt, too long, a wrong option. Its words help the caller. */
export const refused = (words: string, apiKey: string): Answer => {
  const said = redact(words, apiKey)
  const sentence = failures.PROVIDER_FAILED.message
  return failed({
    code: 'PROVIDER_FAILED',
    message: said ? `${sentence} It says: ${said}` : sentence,
    retryable: false,
  })
}

/** Nobody answered, the connection broke, or the time given was over. */
export const unreachable = (): Answer => failed(failure('PROVIDER_FAILED', 'The provider could not be reached.'))

export const unreadable = (): Answer =>
  failed(failure('PROVIDER_FAILED', 'The provider gave an answer that could not be read.'))

export const keyUnusable = (): Answer => failed(failure('PROVIDER_KEY_REJECTED'))

const failed = (failed: Failure, retryAfterSeconds: number | null = null): Answer => ({
  state: 'failed',
  failed,
  retryAfterSeconds,
})

/**
 * OpenAI: `{error:{message,type,code}}`, even as text/plain. AssemblyAI: `{error}`. Deepgram: bare text,
 * `{err_code,err_msg}` or `{category,message,details}`. A proxy between: a page of HTML.
 */
export const readComplaint = (text: string): { code: string; words: string } => {
  const body = parsed(text)
  if (typeof body === 'string') return { code: '', words: body.trimStart().startsWith('<') ? '' : body }
  const fields = body.error !== null && typeof body.error === 'object' ? (body.error as Fields) : body
  return {
    code: sayings(fields.code, fields.type, fields.err_code, fields.category),
    words: sayings(typeof body.error === 'string' ? body.error : '', fields.message, fields.err_msg, fields.details),
  }
}

type Fields = Record<string, unknown>

const parsed = (text: string): Fields | string => {
  try {
    const body: unknown = JSON.parse(text)
    if (body !== null && typeof body === 'object') return body as Fields
    return typeof body === 'string' ? body : text
  } catch {
    return text
  }
}

const sayings = (...values: unknown[]): string =>
  values.filter((value) => typeof value === 'string' && value !== '').join(' ')
