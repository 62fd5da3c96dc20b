import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../domain/ids.ts'
import { uploadKey } from '../../../domain/media/media-keys.ts'
import { AccountBase } from '../../../worker/account/account-object.ts'
import {
  asOperator,
  type Caller,
  callApi,
  claimed,
  FILM,
  namesIn,
  newCaller,
  send,
  started,
} from '../support/caller.ts'
import { eventually } from '../support/clock.ts'
import { messagesOf } from '../support/event-stream.ts'
import { callTool } from '../support/mcp.ts'
import { transcribe } from '../support/openai.ts'
import { inTables, rowsOf, uploadsOf } from '../support/tables.ts'

/**
 * Calls of an account's object that a deploy, an update of the runtime or a move of the object interrupts. `abort` resets the
 * object as those do: with the same error, and what was committed stays.
 */

type ActName = Exclude<keyof AccountBase, 'state' | 'alarm' | 'fetch'> & string
type Run = (...args: unknown[]) => Promise<unknown>
interface Resettable {
  ctx: DurableObjectState
}

afterEach(() => vi.restoreAllMocks())

/** The object is reset in the next `times` calls of the act: before it runs, or when it has committed. */
const resetIn = (act: ActName, times: number, when: 'before' | 'after' = 'before') => {
  const prototype = AccountBase.prototype as unknown as Record<ActName, Run>
  const real = prototype[act]
  const spy = vi.spyOn(prototype, act)
  for (let count = 0; count < times; count++) {
    spy.mockImplementationOnce(async function (this: unknown, ...args: unknown[]) {
      const { ctx } = this as Resettable
      if (when === 'after') {
        await real.apply(this, args)
        await ctx.storage.sync()
      }
      ctx.abort('Durable Object reset because its code was updated.')
      return new Promise(() => {})
    })
  }
  return spy
}

/** Each call of the account fails, in its place. */
const failCalls = (flags: object) => {
  const getByName = env.ACCOUNTS.getByName.bind(env.ACCOUNTS)
  const failed = vi.fn(() => Promise.reject(Object.assign(new Error('Network connection lost.'), flags)))
  vi.spyOn(env.ACCOUNTS, 'getByName').mockImplementation(
    (name) => new Proxy(getByName(name), { get: () => failed }) as never,
  )
  return failed
}

const jobsOf = async (caller: Caller): Promise<{ jobId: string }[]> => (await caller.get('/jobs')).body.data.jobs
const silence = () => vi.spyOn(console, 'error').mockReturnValue()

const unavailable = { status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: 2 }
const outcome = ({ status, headers, body }: Awaited<ReturnType<Caller['get']>>) => ({
  status,
  code: body.code,
  retryAfter: Number(headers.get('retry-after')),
})

describe('an object that is reset once', () => {
  test('answers a read', async () => {
    const caller = await newCaller()
    const summary = resetIn('summary', 1)
    expect((await caller.get('/account')).status).toBe(200)
    expect(summary).toHaveBeenCalledTimes(2)
  })

  test.each(['before', 'after'] as const)('starts one job, %s its admission', async (when) => {
    const caller = await newCaller()
    const admit = resetIn('admit', 1, when)
    const { status, body } = await caller.post('/import', { url: FILM })
    expect(status).toBe(202)
    expect(admit).toHaveBeenCalledTimes(2)
    expect(await jobsOf(caller)).toMatchObject([{ jobId: body.data.jobId }])
  })

  test.each(['openStart', 'admit'] as const)(
    'in %s starts one job for an Idempotency-Key, and keeps it',
    async (act) => {
      const caller = await newCaller()
      resetIn(act, 1, 'after')
      const start = () => caller.post('/import', { url: FILM }, { 'idempotency-key': 'one' })
      const first = await start()
      expect([first.status, first.body.data.message]).toEqual([202, expect.stringMatching('is queued')])
      expect((await start()).body.data.jobId).toBe(first.body.data.jobId)
      expect(await jobsOf(caller)).toHaveLength(1)
    },
  )

  test('starts one batch, and one retry of it', async () => {
    const caller = await newCaller()
    resetIn('admitBatch', 1, 'after')
    const { status, body } = await caller.post('/batches', { urls: [FILM], import: {} })
    expect(status).toBe(202)
    await caller.delete(`/batches/${body.data.batchId}`)
    resetIn('retryBatch', 1, 'after')
    const retried = await callApi('POST', `/batches/${body.data.batchId}/retry`, { key: caller.apiKey })
    expect(retried.status).toBe(202)
    const { batches } = (await caller.get('/batches')).body.data
    expect(batches).toMatchObject([{ batchId: retried.body.data.batchId }, { batchId: body.data.batchId }])
  })

  test.each(['reserveUpload', 'startUploadAttempt'] as const)('in %s starts one upload', async (act) => {
    const caller = await newCaller()
    resetIn(act, 1, 'after')
    const { status, body } = await caller.post('/uploads', { filename: 'talk.mp3', sizeBytes: 1_000 })
    expect(status).toBe(201)
    const multipartId = new URL(body.data.parts[0].url).searchParams.get('uploadId')
    expect(await inTables(caller.account, uploadsOf)).toMatchObject([
      { id: body.data.uploadId, state: 'pending', multipartId },
    ])
    // Storage takes its parts.
    const parts = env.MEDIA.resumeMultipartUpload(
      uploadKey(body.data.uploadId, await namesIn(body.data.uploadId)),
      multipartId ?? '',
    )
    await parts.uploadPart(1, new Uint8Array(1_000))
  })

  test('rotates the webhook secret once', async () => {
    const caller = await newCaller()
    const before = (await caller.get('/webhooks/secret')).body.data
    resetIn('rotateWebhookSecret', 1, 'after')
    const { status, body } = await callApi('POST', '/webhooks/secret/rotate', { key: caller.apiKey })
    expect(status).toBe(200)
    expect(body.data.secret).not.toBe(before.secret)
    expect(await rowsOf(caller.account, 'webhook_secrets')).toHaveLength(2)
  })

  test('goes on with an open stream of events', async () => {
    const caller = await newCaller()
    const messages = messagesOf(await send('GET', '/events', { key: caller.apiKey }))
    await messages.next()
    const jobId = await started(caller)
    const eventsAfter = resetIn('eventsAfter', 1)
    await claimed(caller, jobId)
    expect((await messages.next()).value).toMatchObject({ event: 'job.started' })
    expect(eventsAfter).toHaveBeenCalled()
    await messages.return(undefined)
  })

  test('adds one key for an operator', async () => {
    const caller = await newCaller()
    resetIn('addKey', 1, 'after')
    const { status, body } = await asOperator('POST', `/admin/accounts/${caller.accountId}/keys`)
    expect(status).toBe(200)
    expect((await callApi('GET', '/account', { key: body.data.apiKey })).status).toBe(200)
  })
})

test('an object that is reset twice is a 503 with Retry-After', async () => {
  const caller = await newCaller()
  const log = silence()
  const admit = resetIn('admit', 2)
  expect(outcome(await caller.post('/import', { url: FILM }))).toEqual(unavailable)
  expect(admit).toHaveBeenCalledTimes(2)
  expect(log).toHaveBeenCalledTimes(1)
  expect(await jobsOf(caller)).toEqual([])
})

test('a test webhook whose object is reset is a 503, and not begun again', async () => {
  const caller = await newCaller()
  silence()
  const begin = resetIn('beginWebhookTest', 1, 'after')
  expect(outcome(await caller.post('/webhooks/test', { url: 'https://receiver.example/' }))).toEqual(unavailable)
  expect(begin).toHaveBeenCalledTimes(1)
})

test('a start of MCP whose object is reset twice is made again, and starts one job', async () => {
  const caller = await newCaller()
  silence()
  const admit = resetIn('admit', 2, 'after')
  const calling = callTool(caller, 'import_media', { url: FILM }, { waitMs: 600_000 })
  const jobId = await eventually(async () => {
    const [job] = await jobsOf(caller)
    expect(job).toBeDefined()
    return job?.jobId ?? ''
  })
  await eventually(async () => expect(admit).toHaveBeenCalledTimes(2))
  await caller.delete(`/jobs/${jobId}`)
  expect((await calling).data.job_id).toBe(jobId)
  expect(await jobsOf(caller)).toHaveLength(1)
})

test('a tool whose object is reset twice says so, and when to call it again', async () => {
  const caller = await newCaller()
  silence()
  resetIn('cancel', 2)
  const { data, isError } = await callTool(caller, 'cancel_job', { job_id: newId('import', Date.now()) })
  expect(isError).toBe(true)
  expect(data.error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', next: 'Call the tool again in ten seconds.' })
})

test('clients of OpenAI send a request again whose object is reset twice, and join its job', async () => {
  const caller = await newCaller()
  silence()
  resetIn('admit', 2, 'after')
  const fields: [string, string][] = [
    ['model', 'haul-auto'],
    ['url', FILM],
  ]
  const { status, headers, body } = await transcribe(caller, fields)
  expect([status, headers.get('retry-after'), body.error.code]).toEqual([503, '2', 'SERVICE_UNAVAILABLE'])
  const again = transcribe(caller, fields, { waitMs: 100 })
  expect((await again).status).toBeGreaterThanOrEqual(500)
  expect(await jobsOf(caller)).toHaveLength(1)
})

test('an overloaded object is a 503 without another call', async () => {
  const caller = await newCaller()
  silence()
  const failed = failCalls({ overloaded: true, retryable: true })
  expect(outcome(await caller.get('/account'))).toEqual({ status: 503, code: 'SERVICE_BUSY', retryAfter: 5 })
  expect(failed).toHaveBeenCalledTimes(1)
})

test('a lost connection is tried again on a new stub, and any other fault is a 500 at once', async () => {
  const caller = await newCaller()
  silence()
  const lost = failCalls({ retryable: true })
  expect(outcome(await caller.get('/account'))).toEqual(unavailable)
  expect(lost).toHaveBeenCalledTimes(2)
  vi.restoreAllMocks()
  silence()
  const failed = failCalls({ remote: true })
  expect((await caller.get('/account')).body.code).toBe('INTERNAL_ERROR')
  expect(failed).toHaveBeenCalledTimes(1)
})
