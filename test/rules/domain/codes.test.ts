import { expect, test } from 'vitest'
import { failure, failureCodes, failures } from '../../../domain/codes/failures.ts'
import { refusal, refusals } from '../../../domain/codes/refusals.ts'

const sentence = /^[A-Z].+[.>]$/

test.each(Object.entries(refusals))('the refusal %s has a status and a message', (code, { status, message }) => {
  expect(code).toMatch(/^[A-Z_]+$/)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThanOrEqual(503)
  expect(message).toMatch(sentence)
})

test.each(Object.entries(failures))('the failure %s has a message and is retryable or not', (code, row) => {
  expect(code).toMatch(/^[A-Z_]+$/)
  expect(row.message).toMatch(sentence)
  expect(typeof row.retryable).toBe('boolean')
})

test.each([
  ['INVALID_JSON', 400],
  ['INVALID_REQUEST', 400],
  ['UNREACHABLE_URL', 400],
  ['STORAGE_NOT_CONFIGURED', 400],
  ['UNAUTHORIZED', 401],
  ['INSUFFICIENT_BALANCE', 402],
  ['ACCOUNT_SUSPENDED', 403],
  ['NOT_FOUND', 404],
  ['JOB_NOT_FOUND', 404],
  ['METHOD_NOT_ALLOWED', 405],
  ['IDEMPOTENCY_IN_PROGRESS', 409],
  ['MEDIA_EXPIRED', 410],
  ['BODY_TOO_LARGE', 413],
  ['UNSUPPORTED_MEDIA_TYPE', 415],
  ['IDEMPOTENCY_MISMATCH', 422],
  ['RATE_LIMITED', 429],
  ['CONCURRENCY_LIMITED', 429],
  ['INTERNAL_ERROR', 500],
  ['SERVICE_BUSY', 503],
] as const)('%s is a %i, as in the contract', (code, status) => expect(refusals[code].status).toBe(status))

test('all failure codes of the contract exist', () => {
  expect(failureCodes).toEqual(
    expect.arrayContaining(
      `SOURCE_UNREACHABLE SOURCE_NOT_FOUND SOURCE_UNSUPPORTED SOURCE_PRIVATE SOURCE_AGE_RESTRICTED
       SOURCE_REGION_BLOCKED SOURCE_LIVE SOURCE_DRM SOURCE_RATE_LIMITED SOURCE_BLOCKED SOURCE_TRUNCATED NO_AUDIO
       NO_VIDEO MEDIA_TOO_LARGE MEDIA_TOO_LONG INSUFFICIENT_BALANCE STORAGE_FAILED TIMED_OUT CANCELED INTERNAL`.split(
        /\s+/,
      ),
    ),
  )
})

test('a message may be more specific than the one of its code', () => {
  expect(refusal('NOT_FOUND', {}, 'API key not found.')).toEqual({
    code: 'NOT_FOUND',
    message: 'API key not found.',
    facts: {},
  })
  expect(failure('TIMED_OUT')).toEqual({ code: 'TIMED_OUT', message: 'The job timed out.', retryable: true })
  expect(failure('SOURCE_PRIVATE', 'Members only.')).toMatchObject({ message: 'Members only.', retryable: false })
})
