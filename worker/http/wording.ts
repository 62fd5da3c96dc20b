import { z } from '@hono/zod-openapi'

/**
 * What a refusal says of a field: the end of a sentence that the field's name begins, as in "url: is required".
 * Said here for all schemas at once. A field that knows better says so in its own schema, which is asked first.
 */
const wordingOf: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `${subjectOf(issue)}must be ${kinds[issue.expected] ?? 'valid'}`
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be ${oneOf(issue.values)}`
    case 'too_big':
      return issue.origin === 'number' ? `must be at most ${issue.maximum}` : `must have at most ${sizeOf(issue)}`
    case 'too_small':
      return tooSmall(issue)
    case 'invalid_format':
      return formats[issue.format] ?? 'does not have the right form'
    case 'invalid_key':
      return `has a name that ${issue.issues[0]?.message ?? 'is not valid'}`
    default:
      return 'is not valid'
  }
}

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const formats: Record<string, string> = {
  datetime: 'must be a time such as 2026-11-21T09:00:00Z',
}

/** What has no name is the body as a whole. */
const subjectOf = ({ path = [] }: z.core.$ZodRawIssue): string => (path.length === 0 ? 'the body ' : '')

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`

const tooSmall = (issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string => {
  if (issue.origin === 'number') return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`
  return issue.minimum === 1 ? 'must not be empty' : `must have at least ${sizeOf(issue)}`
}

const sizeOf = ({ origin, maximum, minimum }: { origin: string; maximum?: unknown; minimum?: unknown }): string =>
  `${maximum ?? minimum} ${origin === 'string' ? 'characters' : 'items'}`

z.config({ customError: wordingOf })
