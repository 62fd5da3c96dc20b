import { randomUUID } from 'node:crypto'
import type { FakeResponse } from './fake-provider.ts'

export const MAX_BODY_BYTES = 26_214_400

export const responseHeaders = (): Record<string, string> => ({
  'openai-processing-ms': '412',
  'openai-version': '2020-10-01',
  'x-request-id': `req_${randomUUID().replaceAll('-', '')}`,
})

const errorResponse = (status: number, error: object, headers: Record<string, string> = {}): FakeResponse => ({
  status,
  headers: { ...responseHeaders(), ...headers },
  body: { error },
})

export const invalid = (status: number, message: string, param: string | null, code: string | null): FakeResponse =>
  errorResponse(status, { message, type: 'invalid_request_error', param, code })

/** Error responses of OpenAI, with their oddities. */
export const openaiErrors = {
  /** JSON with a text content type, and with the start and the end of the key in its message. */
  keyRejected: (key: string): FakeResponse => ({
    status: 401,
    headers: {
      ...responseHeaders(),
      'content-type': 'text/plain; charset=utf-8',
      'www-authenticate': 'Bearer realm="OpenAI API"',
    },
    body: JSON.stringify({
      error: {
        message: key
          ? `Incorrect API key provided: ${key.slice(0, 8)}${'*'.repeat(Math.max(3, key.length - 12))}${key.slice(-4)}. You can find your API key at https://platform.openai.com/account/api-keys.`
          : "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.",
        type: 'invalid_request_error',
        param: null,
        code: key ? 'invalid_api_key' : null,
      },
    }),
  }),
  forbidden: errorResponse(403, {
    message: 'Country, region, or territory not supported',
    type: 'request_forbidden',
    param: null,
    code: 'unsupported_country_region_territory',
  }),
  noSuchModel: (model: string): FakeResponse =>
    invalid(404, `The model '${model}' does not exist or you do not have access to it.`, null, 'model_not_found'),
  /** The type is server_error although the request is at fault. */
  tooLarge: (sizeBytes: number): FakeResponse =>
    errorResponse(413, {
      message: `413: Maximum content size limit (${MAX_BODY_BYTES}) exceeded (${sizeBytes} bytes read)`,
      type: 'server_error',
      param: null,
      code: null,
    }),
  undecodable: invalid(400, 'Audio file might be corrupted or unsupported', 'file', 'invalid_value'),
  /** Retrying will not help although the status is 429. */
  quota: errorResponse(429, {
    message: 'You exceeded your current quota, please check your plan and billing details.',
    type: 'insufficient_quota',
    param: null,
    code: 'insufficient_quota',
  }),
  rateLimited: (retryAfterSeconds: number): FakeResponse =>
    errorResponse(
      429,
      {
        message:
          'Rate limit reached for whisper-1 in organization org-fake on requests per min (RPM): Limit 50, Used 50.',
        type: 'requests',
        param: null,
        code: 'rate_limit_exceeded',
      },
      { 'retry-after': String(retryAfterSeconds) },
    ),
  serverError: errorResponse(500, {
    message: 'The server had an error while processing your request. Sorry about that!',
    type: 'server_error',
    param: null,
    code: null,
  }),
  requestTimeout: errorResponse(408, { message: 'Request timed out', type: 'timeout', param: null, code: null }),
  badGateway: {
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html><head><title>502 Bad Gateway</title></head><body>cloudflare</body></html>',
  } as FakeResponse,
} as const
