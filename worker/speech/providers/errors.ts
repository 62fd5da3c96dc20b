import { type FailureCode, failure, failures } from '../../../domain/codes/failures.ts'
import type { ServiceName } from '../../../domain/jobs/providers.ts'
import { failedWith, type ProviderResult } from '../recognition.ts'

/** `text` is the body, in any content type and shape. */
export interface ProviderErrorResponse {
  status: number
  text: string
  retryAfterSeconds: number | null
}

interface ErrorRule {
  status: (status: number) => boolean
  /** Matched against the provider's code and message, for statuses that mean several things. */
  pattern?: RegExp
  code: FailureCode
  retryable: boolean
  message?: string
}

const oneOf =
  (...statuses: number[]) =>
  (status: number): boolean =>
    statuses.includes(status)

const keyRejected: ErrorRule = { status: oneOf(401, 403), code: 'PROVIDER_KEY_REJECTED', retryable: false }
const rateLimited: ErrorRule = { status: oneOf(429), code: 'PROVIDER_RATE_LIMITED', retryable: true }
const unavailable: ErrorRule = {
  status: (status) => status === 408 || status >= 500,
  code: 'PROVIDER_FAILED',
  retryable: true,
  message: 'The provider is unavailable.',
}

/** The first matching rule applies. An error without a rule is about this request, and retrying will not help. */
const rules: Record<ServiceName, ErrorRule[]> = {
  openai: [
    keyRejected,
    { status: oneOf(429), pattern: /insufficient_quota|billing/i, code: 'PROVIDER_QUOTA', retryable: false },
    rateLimited,
    unavailable,
  ],
  deepgram: [keyRejected, { status: oneOf(402), code: 'PROVIDER_QUOTA', retryable: false }, rateLimited, unavailable],
  assemblyai: [
    keyRejected,
    { status: oneOf(400, 402), pattern: /balance|insufficient funds/i, code: 'PROVIDER_QUOTA', retryable: false },
    rateLimited,
    unavailable,
  ],
}

export const errorResult = (service: ServiceName, error: ProviderErrorResponse, apiKey: string): ProviderResult => {
  const { code, message } = parseErrorBody(error.text)
  const rule = rules[service].find(
    ({ status, pattern }) => status(error.status) && (!pattern || pattern.test(`${code} ${message}`)),
  )
  if (!rule) return requestRejected(message, apiKey)
  return failedWith(
    { ...failure(rule.code, rule.message), retryable: rule.retryable },
    rule.retryable ? error.retryAfterSeconds : null,
  )
}

/** The provider rejected this request: unsupported or corrupt audio, too long, an invalid option. Its message helps the caller. */
export const requestRejected = (providerMessage: string, apiKey: string): ProviderResult => {
  const details = redact(providerMessage, apiKey)
  const message = failures.PROVIDER_FAILED.message
  return failedWith({
    code: 'PROVIDER_FAILED',
    message: details ? `${message} Provider message: ${details}` : message,
    retryable: false,
  })
}

/**
 * OpenAI: `{error:{message,type,code}}`, even as text/plain. AssemblyAI: `{error}`. Deepgram: plain text,
 * `{err_code,err_msg}` or `{category,message,details}`. A proxy in between: an HTML page.
 */
export const parseErrorBody = (text: string): { code: string; message: string } => {
  const body = parseJson(text)
  if (typeof body === 'string') return { code: '', message: body.trimStart().startsWith('<') ? '' : body }
  const fields = body.error !== null && typeof body.error === 'object' ? (body.error as Fields) : body
  return {
    code: joinStrings(fields.code, fields.type, fields.err_code, fields.category),
    message: joinStrings(
      typeof body.error === 'string' ? body.error : '',
      fields.message,
      fields.err_msg,
      fields.details,
    ),
  }
}

type Fields = Record<string, unknown>

const parseJson = (text: string): Fields | string => {
  try {
    const body: unknown = JSON.parse(text)
    if (body !== null && typeof body === 'object') return body as Fields
    return typeof body === 'string' ? body : text
  } catch {
    return text
  }
}

const joinStrings = (...values: unknown[]): string =>
  values.filter((value) => typeof value === 'string' && value !== '').join(' ')

const MASK = '[redacted]'
const MAX_MESSAGE_CHARACTERS = 300

/**
 * A provider's message without the API key. OpenAI returns the first and last characters of a rejected key
 * around asterisks, and other services may return more. So every token that could be part of the key is
 * masked, at the cost of masking a harmless word now and then.
 */
export const redact = (message: string, apiKey: string): string =>
  message
    .slice(0, 4 * MAX_MESSAGE_CHARACTERS)
    .replaceAll(apiKey || MASK, MASK)
    .split(/(\s+)/)
    .map((token) => (couldBeOfKey(token, apiKey) ? MASK : token))
    .join('')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_MESSAGE_CHARACTERS)

const KEY_PART_LENGTH = 6

const couldBeOfKey = (token: string, apiKey: string): boolean =>
  /\*\*|\.\.\.\w|•/u.test(token) || /[\w-]{28,}/.test(token) || keyParts(apiKey).some((part) => token.includes(part))

/** Every six consecutive characters, and the last four, which services often show. */
const keyParts = (apiKey: string): string[] => [
  ...Array.from({ length: Math.max(0, apiKey.length - KEY_PART_LENGTH + 1) }, (_, at) =>
    apiKey.slice(at, at + KEY_PART_LENGTH),
  ),
  apiKey.slice(-4),
]
