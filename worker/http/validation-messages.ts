import { z } from '@hono/zod-openapi'
import { type Refusal, refusal } from '../../domain/codes/refusals.ts'

interface Detail {
  path: string
  message: string
}

/** One detail for each invalid field. The message of the first one is part of the error sentence. */
export const invalidRequest = ({ issues }: z.core.$ZodError): Refusal => invalidFields(issues.flatMap(detailsOf))

export const invalidFields = (details: Detail[]): Refusal =>
  refusal('INVALID_REQUEST', { details }, sentenceOf(details))

export const invalidField = (path: string, message: string): Refusal => invalidFields([{ path, message }])

const detailsOf = (issue: z.core.$ZodIssue): Detail[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...issue.path, key].join('.'), message: 'is not a known field' }))
    : [{ path: issue.path.join('.'), message: issue.message }]

const sentenceOf = ([first]: Detail[]): string =>
  first
    ? `The request is not valid: ${first.path === '' ? '' : `${first.path}: `}${first.message}`
    : 'The request is not valid.'

/** Messages continue the field's name, as in "url: is required". A message in a schema takes precedence over these. */
const messageOf: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `${subjectOf(issue)}must be ${typeNames[issue.expected] ?? 'valid'}`
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be ${oneOf(issue.values)}`
    case 'too_big':
      return issue.origin === 'number' ? `must be at most ${issue.maximum}` : `must have at most ${sizeOf(issue)}`
    case 'too_small':
      return tooSmall(issue)
    case 'invalid_format':
      return issue.format === 'datetime' ? NO_TIME : 'has an invalid format'
    case 'invalid_key':
      return `has an invalid name: ${issue.issues[0]?.message ?? 'is not valid'}`
    default:
      return 'is not valid'
  }
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

const NO_TIME = 'must be an ISO 8601 time such as 2026-11-21T09:00:00Z'

/** The body itself has no name. */
const subjectOf = ({ path = [] }: z.core.$ZodRawIssue): string => (path.length === 0 ? 'the body ' : '')

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`

const tooSmall = (issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string => {
  if (issue.origin === 'number') return `must be ${issue.inclusive ? 'at least' : 'greater than'} ${issue.minimum}`
  return issue.minimum === 1 ? 'must not be empty' : `must have at least ${sizeOf(issue)}`
}

const sizeOf = ({ origin, maximum, minimum }: { origin: string; maximum?: unknown; minimum?: unknown }): string =>
  `${maximum ?? minimum} ${origin === 'string' ? 'characters' : 'items'}`

z.config({ customError: messageOf })
