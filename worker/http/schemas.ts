import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { MAX_URL_LENGTH } from '../../domain/limits.ts'
import { CONTROL, hasUnshown, type TextRule, UNSHOWN } from '../../domain/text-rule.ts'
import type { HttpEnv } from './request-context.ts'

export const named = <Fields extends z.ZodRawShape>(name: string, fields: Fields) => z.object(fields).openapi(name)

export const namedStrictly = <Fields extends z.ZodRawShape>(name: string, fields: Fields) =>
  z.strictObject(fields).openapi(name)

/** What JSON Schema can say of the rules below. */
const NAME = String.raw`^[^${UNSHOWN}]*[^\s\ufeff${UNSHOWN}][^${UNSHOWN}]*$`
const HTTP_URL = String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/\\?#@${CONTROL}]+(?:[/?#][^\\${CONTROL}]*)?$`

export const HttpUrl = z
  .string()
  .trim()
  .min(1)
  .max(MAX_URL_LENGTH)
  .refine(isHttpUrl, 'must be an http or https URL')
  .refine(isWithoutCredentials, 'must not contain a user name or password')
  .openapi({ format: 'uri', pattern: HTTP_URL, example: 'https://example.com/video.mp4' })

/** Stricter than the WHATWG parser, which adds slashes and drops newlines: yt-dlp and ffmpeg must find the same host. */
function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^/\\\p{Cc}][^\\\p{Cc}]*$/iu.test(text) && URL.canParse(text)
}

function isWithoutCredentials(text: string): boolean {
  const url = URL.parse(text)
  return url === null || (url.username === '' && url.password === '')
}

/** A string that `problemOf` accepts: it returns null, or an error message. `rule` is what the document says of the same strings. */
export const checkedBy = (problemOf: (text: string) => string | null, rule: TextRule) => {
  const checked = z.string().superRefine((text, context) => {
    const message = problemOf(text)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })
  return checked.openapi({ ...rule })
}

export const Name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((name) => !hasUnshown(name), 'must have no control characters, and none that change the direction of text')
  .openapi({ pattern: NAME })

/** The key of a third-party service. It is sent in a header, so a newline would inject another header. */
export const ProviderKey = z
  .string()
  .max(512)
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters without spaces')

export const Id = z.string()
/** In a query a missing or empty id is a 400: a script with an unset variable sends it. */
export const JobIdQuery = Id.min(1).describe('The jobId.')

const zeroOrOne = z.enum(['0', '1']).default('0')
/** `1` is true. `0` is false, and the default. */
export const Flag = zeroOrOne.transform((value) => value === '1')

export const wholeNumber = (min: number, max: number, fallback: number, description: string) => {
  const number = z.coerce.number().int().min(min).max(max).default(fallback)
  // The library would add null, which a query cannot be. With a type, it leaves out the limits, so they are repeated.
  return number.openapi({ type: 'integer', minimum: min, maximum: max, description })
}

/** Values in responses. */
export const Integer = z.number().int()
export const Bytes = Integer.openapi({ example: 15_342_100 })
export const Cost = z.number().openapi({ example: 0.153421 })
export const Seconds = z.number().openapi({ example: 63.4 })
export const SourceUrl = z.string().openapi({ example: 'https://example.com/video.mp4' })
export const Title = z.string().openapi({ example: 'A talk' })
export const AccountId = z.string().openapi({ example: 'acct_…' })
export const BatchId = z.string().openapi({ example: 'bat_…' })
export const JobId = z.string().openapi({ example: 'imp_…' })
export const KeyId = z.string().openapi({ example: 'key_…' })

export const Timestamp = z.string().openapi({ format: 'date-time', example: '2026-11-21T09:00:00.000Z' })

/** In a response. The document says `boolean`: for many generators of clients an enum has only strings. */
export const always = <Value extends boolean>(value: Value) =>
  z.literal(value).openapi({ type: 'boolean', description: `Always ${value}.`, example: value })

const RefusalBody = z.looseObject({
  success: always(false),
  error: z.string().describe('A message for people.'),
  code: z.string().describe('A code for programs.'),
  requestId: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
})

export const ok = <T extends z.ZodType>(data: T, description?: string) =>
  plainJson(z.object({ success: always(true), data }), description)

/** Without the envelope. */
export const plainJson = <T extends z.ZodType>(schema: T, description = 'Success.') => ({
  description,
  content: { 'application/json': { schema } },
})

export const eventStream = {
  description: 'A stream of events.',
  content: { 'text/event-stream': { schema: z.string() } },
}

const descriptions: Record<number, string> = {
  400: 'The request is not valid.',
  401: 'The key or token is missing or not valid.',
  402: 'The account balance is too low.',
  403: 'The account is suspended, or the link is not valid.',
  404: 'Not found.',
  409: 'A request with this Idempotency-Key is still running, or the job, source or batch is in another state.',
  410: 'The media is no longer stored.',
  413: 'The body or the upload is too large.',
  415: 'The body is not JSON, or it has a Content-Encoding.',
  416: 'The range is outside the file.',
  422: 'This Idempotency-Key or credit reference was used with a different body, or the upload is incomplete or not media.',
  429: 'A limit on requests, concurrency, stored uploads or work without a charge is reached.',
  503: 'The service is busy, or the request was interrupted. Retry-After says when to try again.',
}

/** `own` replaces the usual descriptions. */
export const refusedWith =
  (body: z.ZodType, own: Record<number, string> = {}) =>
  (...statuses: number[]) =>
    Object.fromEntries(
      statuses.map((status) => {
        const description = own[status] ?? descriptions[status] ?? ''
        return [status, { description, content: { 'application/json': { schema: body } } }]
      }),
    )

export const refusals = refusedWith(RefusalBody.openapi('Refusal'))

/** A form as a reference, because the library would read a body with a schema into memory to validate it. */
export const formBody = ({ openAPIRegistry }: OpenAPIHono<HttpEnv>, name: string, fields: z.ZodRawShape) => {
  openAPIRegistry.register(name, z.object(fields))
  return { required: true, content: { 'multipart/form-data': { schema: { $ref: `#/components/schemas/${name}` } } } }
}

/** A JSON request body. The route also declares the `jsonBody` guard. */
export const json = <T extends z.ZodType>(schema: T) => ({
  required: true,
  content: { 'application/json': { schema } },
})
