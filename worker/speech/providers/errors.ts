import { failure } from '../../../domain/codes/failures.ts'
import type { ServiceName } from '../../../domain/jobs/providers.ts'
import { failedWith, type ProviderResult } from '../recognition.ts'

/** How a service says that the caller's account is out of credit. `pattern`: the statuses mean other things too. */
const quota: Record<ServiceName, { statuses: number[]; pattern?: RegExp }> = {
  openai: { statuses: [429], pattern: /insufficient_quota|billing/i },
  deepgram: { statuses: [402] },
  assemblyai: { statuses: [400, 402], pattern: /balance|insufficient funds/i },
}

/** `text` is the body, in any content type and shape. */
export const errorResult = (
  service: ServiceName,
  { status, text, retryAfterSeconds }: { status: number; text: string; retryAfterSeconds: number | null },
  apiKey: string,
): ProviderResult => {
  const { code, message } = parseErrorBody(text)
  const { statuses, pattern } = quota[service]
  const isOutOfCredit = statuses.includes(status) && (pattern?.test(`${code} ${message}`) ?? true)
  if (status === 401 || status === 403) return failedWith(failure('PROVIDER_KEY_REJECTED'))
  if (isOutOfCredit) return failedWith(failure('PROVIDER_QUOTA'))
  if (status === 429) return failedWith(failure('PROVIDER_RATE_LIMITED'), retryAfterSeconds)
  if (status === 408 || status >= 500) {
    return failedWith(failure('PROVIDER_FAILED', 'The provider is unavailable.'), retryAfterSeconds)
  }
  // The error is about this request, and retrying will not help.
  return requestRejected(message, apiKey)
}

/** The provider rejected this request: unsupported or corrupt audio, too long, an invalid option. Its message helps the caller. */
export const requestRejected = (providerMessage: string, apiKey: string): ProviderResult => {
  const details = redact(providerMessage, apiKey)
  const failed = failure('PROVIDER_FAILED')
  const message = details ? `${failed.message} Provider message: ${details}` : failed.message
  return failedWith({ ...failed, message, retryable: false })
}

/**
 * OpenAI: `{error:{message,type,code}}`, even as text/plain. AssemblyAI: `{error}`. Deepgram: plain text,
 * `{err_code,err_msg}` or `{category,message,details}`. A proxy in between: an HTML page.
 */
export const parseErrorBody = (text: string): { code: string; message: string } => {
  const body = parseJson(text)
  if (!isFields(body)) {
    const message = typeof body === 'string' ? body : text
    return { code: '', message: message.trimStart().startsWith('<') ? '' : message }
  }
  const fields = isFields(body.error) ? body.error : body
  return {
    code: joinStrings(fields.code, fields.type, fields.err_code, fields.category),
    message: joinStrings(body.error, fields.message, fields.err_msg, fields.details),
  }
}

const isFields = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object'

/** undefined: the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const joinStrings = (...values: unknown[]): string =>
  values.filter((value) => typeof value === 'string' && value !== '').join(' ')

const MASK = '[redacted]'
const MAX_MESSAGE_CHARACTERS = 300

/** OpenAI returns parts of a rejected key around asterisks. So every token that could be part of the key is masked. */
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
