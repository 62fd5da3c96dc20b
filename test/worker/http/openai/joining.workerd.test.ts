import { describe, expect, test } from 'vitest'
import { type FailureCode, failure } from '../../../../domain/codes/failures.ts'
import { JOIN_MS } from '../../../../domain/jobs/joining.ts'
import { skip } from '../../support/clock.ts'
import { expectNothingStored, type Fields, fileOf, jobsOf, liveJob, transcribe } from '../../support/openai.ts'
import { asOperator, leaseOf, newCaller, recognizeAs, SOURCE } from '../../support/transcriptions.ts'

const talk: [string, File] = ['file', fileOf('the bytes of a talk that two requests send')]
const segments = [{ start: 0, end: 1, text: 'Good morning.', words: [{ start: 0, end: 1, text: 'Good' }] }]
const giveUp = { waitMs: 1 }

type Caller = Awaited<ReturnType<typeof newCaller>>

/** The job that a request is given to, without waiting for it. */
const jobOf = async (caller: Caller, fields: Fields): Promise<string> => {
  const { status, body, headers } = await transcribe(caller, fields, giveUp)
  expect([status, body.error.code]).toEqual([504, 'TRANSCRIPT_NOT_READY'])
  expect(headers.get('x-haul-job-id')).toBe(body.error.jobId)
  return body.error.jobId
}

const failWith = async (caller: Caller, jobId: string, code: FailureCode) =>
  caller.account.failStep(await leaseOf(caller, jobId, 'audio'), failure(code))

test('a request that gives up is told so with the id of its job, and the same request gets its transcript', async () => {
  const caller = await newCaller()
  const { status, headers, body } = await transcribe(caller, [talk], giveUp)
  expect([status, headers.get('retry-after')]).toEqual([504, '1'])
  expect(body.error).toMatchObject({ type: 'server_error', param: null, code: 'TRANSCRIPT_NOT_READY' })
  expect(body.error.message).toContain(`GET /transcribe/status?id=${body.error.jobId}`)
  const again = transcribe(caller, [talk])
  await recognizeAs(caller, body.error.jobId, segments)
  expect((await again).body.text).toBe('Good morning.')
  expect(await jobsOf(caller)).toHaveLength(1)
  await expectNothingStored(caller)
})

test('two requests with the same bytes at the same moment share a job, which is charged once', async () => {
  const caller = await newCaller()
  const responding = Promise.all([transcribe(caller, [talk]), transcribe(caller, [talk]), transcribe(caller, [talk])])
  await recognizeAs(caller, await liveJob(caller), segments)
  const responses = await responding
  expect(responses.map(({ status, body }) => [status, body.text])).toEqual(Array(3).fill([200, 'Good morning.']))
  expect(await jobsOf(caller)).toHaveLength(1)
  expect((await caller.money()).balanceDollars).toBe(9.97)
  expect(await expectNothingStored(caller)).toHaveLength(3)
  expect(responses.map(({ headers }) => headers.get('x-ratelimit-remaining')).sort()).toEqual(['237', '238', '239'])
})

test('a completed job is joined for another format, for words, and at another name of the same engine', async () => {
  const caller = await newCaller()
  const jobId = await jobOf(caller, [talk])
  await recognizeAs(caller, jobId, segments)
  const { body } = await transcribe(caller, [
    ['model', 'whisper-1'],
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['file', fileOf('the bytes of a talk that two requests send', 'another-name.wav')],
  ])
  expect(body.words).toEqual([{ word: 'Good', start: 0, end: 1 }])
  expect((await transcribe(caller, [talk, ['response_format', 'text']])).text).toBe('Good morning.\n')
  expect(await jobsOf(caller)).toHaveLength(1)
})

test.each<[string, Fields]>([
  ['other bytes', [['file', fileOf('the bytes of a talk that two requests sent')]]],
  ['another language', [talk, ['language', 'de']]],
  ['another ceiling', [talk, ['max_cost_dollars', '1']]],
  ['a URL', [['url', SOURCE]]],
])('a request with %s starts a job of its own', async (_, fields) => {
  const caller = await newCaller()
  expect(await jobOf(caller, fields)).not.toBe(await jobOf(caller, [talk]))
})

test('a request with another key starts a job of its own', async () => {
  const caller = await newCaller()
  const jobId = await jobOf(caller, [talk])
  const other = await asOperator('POST', `/admin/accounts/${caller.accountId}/keys`)
  expect(await jobOf({ ...caller, apiKey: other.data.apiKey }, [talk])).not.toBe(jobId)
  expect(await jobOf(await newCaller(), [talk])).not.toBe(jobId)
})

test('a job is joined although all places are taken, and its hold is the whole balance', async () => {
  const caller = await newCaller(0.07)
  for (let job = 0; job < 4; job++) await caller.transcribe({})
  const jobId = await jobOf(caller, [talk])
  expect(await caller.money()).toMatchObject({ availableDollars: 0 })
  expect((await transcribe(caller, [['url', SOURCE]])).body.error.code).toBe('CONCURRENCY_LIMITED')
  expect(await jobOf(caller, [talk])).toBe(jobId)
})

describe('a job that failed', () => {
  test('for good is not started again, and its error is the same', async () => {
    const caller = await newCaller()
    const jobId = await jobOf(caller, [talk])
    await failWith(caller, jobId, 'NO_AUDIO')
    const { status, body } = await transcribe(caller, [talk])
    expect([status, body.error]).toMatchObject([400, { code: 'NO_AUDIO', jobId }])
    skip(JOIN_MS)
    expect(await jobOf(caller, [talk])).not.toBe(jobId)
  })

  test.each(['INTERNAL', 'PROVIDER_FAILED', 'CANCELED', 'INSUFFICIENT_BALANCE'] as const)(
    'with %s is started again by the next request',
    async (code) => {
      const caller = await newCaller()
      const jobId = await jobOf(caller, [talk])
      await failWith(caller, jobId, code)
      expect(await jobOf(caller, [talk])).not.toBe(jobId)
    },
  )
})
