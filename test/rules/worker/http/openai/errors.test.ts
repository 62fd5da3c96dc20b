import { expect, test } from 'vitest'
import { type FailureCode, failure, failures } from '../../../../../domain/codes/failures.ts'
import type { Job } from '../../../../../domain/jobs/job.ts'
import { errorBody, failedJobError } from '../../../../../worker/http/openai/errors.ts'

const errorOf = (code: FailureCode, url: string | null = null) => {
  const job = { id: 'trn_1', request: { url } } as Job
  return failedJobError(job, failure(code))
}

const codes = Object.keys(failures) as FailureCode[]

/** openai/client.mjs, `shouldRetry`: what OpenAI's packages send again by themselves. */
const isSentAgain = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500

test.each(codes.filter((code) => !failures[code].retryable))(
  'the packages do not repeat a request that failed for good with %s',
  (code) => expect(isSentAgain(errorOf(code).status)).toBe(false),
)

test.each([
  ['NO_SPEECH', 400, 'file'],
  ['SOURCE_UNSUPPORTED', 400, 'file'],
  ['INSUFFICIENT_BALANCE', 402, null],
  ['MAX_COST_EXCEEDED', 402, 'max_cost_dollars'],
  ['PROVIDER_KEY_REJECTED', 400, null],
  ['PROVIDER_RATE_LIMITED', 429, null],
  ['PROVIDER_FAILED', 502, null],
  ['SPEECH_UNAVAILABLE', 503, null],
  ['TIMED_OUT', 500, null],
  ['INTERNAL', 500, null],
] as const)('a job that failed with %s is a %i that names %s', (code, status, param) => {
  expect(errorOf(code)).toMatchObject({ status, code, param, facts: { jobId: 'trn_1' } })
})

test('a job of a URL names the URL', () => {
  expect(errorOf('SOURCE_PRIVATE', 'https://media.example/film.mp4')).toMatchObject({ status: 400, param: 'url' })
})

test('a missing ceiling is named as it is called in this API', () => {
  expect(errorOf('MAX_COST_REQUIRED').message).toMatch(/ with max_cost_dollars\.$/)
})

test.each([
  [400, 'invalid_request_error'],
  [429, 'invalid_request_error'],
  [500, 'server_error'],
  [504, 'server_error'],
] as const)('an error with the status %i has the type %s', (status, type) => {
  expect(errorBody({ status, code: 'CODE', message: 'A message.' })).toEqual({
    error: { message: 'A message.', type, param: null, code: 'CODE' },
  })
})
