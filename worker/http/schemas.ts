import { z } from '@hono/zod-openapi'
import { type IdKind, isId } from '../domain/ids.ts'
import { MAX_URL_LENGTH } from '../domain/limits.ts'

/** An http or https address as callers write it. */
export const HttpUrl = z
  .string()
  .trim()
  .min(1)
  .max(MAX_URL_LENGTH)
  .refine(isHttpUrl, 'must be an http or https URL')
  .refine(isWithoutCredentials, 'must not hold a user name or a password')
  .openapi({ format: 'uri', example: 'https://example.com/video.mp4' })

/** Stricter than the parser, which forgives missing slashes and drops newlines: others must read the same in it. */
function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^/\\\p{Cc}][^\\\p{Cc}]*$/iu.test(text) && URL.canParse(text)
}

function isWithoutCredentials(text: string): boolean {
  const url = URL.parse(text)
  return url === null || (url.username === '' && url.password === '')
}

/** A text by a rule of the domain, which says why it can't be used, or null. */
export const judged = (problem: (text: string) => string | null) =>
  z.string().superRefine((text, context) => {
    const message = problem(text)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })

/** A key of a third-party service: what fits into one header, so that no newline opens another. */
export const ProviderKey = z
  .string()
  .max(512)
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters without spaces')

/** Of any form: what can't be an id is simply not found, like one that is nobody's. */
export const Id = z.string()
/** In a query it may be missing, or be left empty by whoever fills it in: that is a mistake worth telling. */
export const JobIdQuery = Id.min(1).openapi({ description: 'The jobId.' })

/** The last id of the page before, which tells its list. */
export const Cursor = (...kinds: IdKind[]) => cursorThat((text) => kinds.some((kind) => isId(kind, text)))

/** Opaque to callers, checked by us: one that is damaged, or of another list, would look like the end of this one. */
export const cursorThat = (isOfThisList: (text: string) => boolean) =>
  z
    .string()
    .refine((text) => text === '' || isOfThisList(text), 'is not a nextCursor of this list')
    .transform((text) => text || undefined)
    .optional()
    .openapi({ description: 'nextCursor of the page before. Empty for the first.' })

export const Limit = (most: number, usual: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(most)
    .default(usual)
    .openapi({ description: `How many at most, up to ${most}.` })

export const RefusalBody = z
  .object({
    success: z.literal(false),
    error: z.string().openapi({ description: 'A sentence for a person.' }),
    code: z.string().openapi({ description: 'A constant for a program.' }),
    requestId: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .loose()
  .openapi('Refusal')

/** The parts of a route's documentation that every route has. */
export const ok = <T extends z.ZodType>(data: T, description = 'Done.') => ({
  description,
  content: { 'application/json': { schema: z.object({ success: z.literal(true), data }) } },
})

const sentences: Record<number, string> = {
  400: 'The request is not valid.',
  401: 'No valid key.',
  402: 'The balance is too low.',
  403: 'The link is not valid.',
  404: 'There is no such thing.',
  409: 'Not yet: a request with this Idempotency-Key is still running, or the result is not there.',
  410: 'No longer stored.',
  413: 'The body is too large.',
  415: 'The body is not JSON, or it is compressed.',
  416: 'The range lies outside of the file.',
  422: 'This Idempotency-Key, or this reference of a credit, was used with another body.',
  429: 'A limit is reached.',
}

export const refusals = (...statuses: number[]) =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: sentences[status] ?? '', content: { 'application/json': { schema: RefusalBody } } },
    ]),
  )

export const json = <T extends z.ZodType>(schema: T) => ({
  required: true,
  content: { 'application/json': { schema } },
})

/** Every route behind an API key says so in the document. */
export const keyed = { security: [{ apiKey: [] }] }
export const forOperators = { security: [{ adminToken: [] }] }
