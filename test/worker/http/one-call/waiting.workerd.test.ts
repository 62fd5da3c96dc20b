import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { type FailureCode, failure } from '../../../../domain/codes/failures.ts'
import { eventually, skip } from '../../support/clock.ts'
import { type Fields, formOf, jobsOf, liveJob, openTo, PATH, transcribe } from '../../support/openai.ts'
import { asOperator, leaseOf, newCaller, recognizeAs, SOURCE } from '../../support/transcriptions.ts'

/** Responses that begin before their job has ended. */

type Caller = Awaited<ReturnType<typeof newCaller>>

const source: Fields = [
  ['url', SOURCE],
  ['model', 'whisper-1'],
]
const segments = [{ start: 0, end: 1, text: 'Good morning.', words: [{ start: 0, end: 1, text: 'Good' }] }]
/** For so long nothing is sent. */
const soon = { TRANSCRIPTION_SILENCE_MS: '12' }

interface Options {
  fields?: Fields
  within?: Partial<Env>
}

/** A response that has begun, with what arrived so far. */
const begun = async (caller: Caller, { fields = [], within = {} }: Options = {}) => {
  const body = formOf([...source, ...fields])
  const { response } = await openTo(PATH, { apiKey: caller.apiKey, body, within: { ...soon, ...within } })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  /** Until the end, or until enough has arrived. */
  const read = async (isEnough: (text: string) => boolean = () => false): Promise<string> => {
    while (!isEnough(text)) {
      const { value, done } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
    return text
  }
  return { response, reader, read }
}

const failWith = async (caller: Caller, jobId: string, code: FailureCode) =>
  caller.account.failStep(await leaseOf(caller, jobId, 'audio'), failure(code))

const countOf = (text: string, part: string): number => text.split(part).length - 1

describe('a response that waits begins before its transcript is there', () => {
  test.each([
    ['json', [], 'application/json', ' '],
    ['verbose_json', [['response_format', 'verbose_json']], 'application/json', ' '],
    ['text', [['response_format', 'text']], 'text/plain; charset=utf-8', '\n'],
    ['srt', [['response_format', 'srt']], 'application/x-subrip; charset=utf-8', '\n'],
    ['vtt', [['response_format', 'vtt']], 'text/vtt; charset=utf-8', '\n'],
  ] as [string, Fields, string, string][])(
    'as %s, with what its readers ignore',
    async (format, fields, type, byte) => {
      const caller = await newCaller()
      const { response, read } = await begun(caller, { fields })
      const jobId = await liveJob(caller)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
      expect(response.headers.get('x-haul-job-id')).toBe(jobId)
      // A proxy that compresses would keep what follows.
      expect(response.headers.get('cache-control')).toBe('private, no-store, no-transform')
      const head = format === 'vtt' ? 'WEBVTT\n' : ''
      const waited = await read((text) => text.length >= head.length + 3)
      expect(waited).toMatch(new RegExp(`^${head}${byte}+$`))
      await recognizeAs(caller, jobId, segments)
      const text = await read()
      const plain = await transcribe(caller, [...source, ...fields])
      expect(plain.status).toBe(200)
      if (type === 'application/json') expect(JSON.parse(text)).toEqual(plain.body)
      else expect(text.replace(head, '').trimStart()).toBe(plain.text.replace(head, '').trimStart())
      expect(text.startsWith(head)).toBe(true)
      expect(await jobsOf(caller)).toHaveLength(1)
    },
  )

  test('as events, with comments', async () => {
    const caller = await newCaller()
    const { response, read } = await begun(caller, { fields: [['stream', 'true']] })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    await read((text) => countOf(text, ': waiting\n\n') >= 2)
    await recognizeAs(caller, await liveJob(caller), segments)
    expect((await read()).replaceAll(': waiting\n\n', '')).toBe(
      [
        { type: 'transcript.text.delta', delta: 'Good morning.' },
        { type: 'transcript.text.done', text: 'Good morning.' },
      ]
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join(''),
    )
  })
})

describe('when the job fails after its response has begun', () => {
  test('the response breaks off, and the next one is told the failure with its status, once', async () => {
    const caller = await newCaller()
    const { read } = await begun(caller)
    const jobId = await liveJob(caller)
    await failWith(caller, jobId, 'INTERNAL')
    await expect(read()).rejects.toThrow(/failed after its response had begun/)
    const told = await transcribe(caller, source)
    expect([told.status, told.body.error]).toMatchObject([500, { code: 'INTERNAL', jobId }])
    const next = await transcribe(caller, source, { waitMs: 1 })
    expect([next.status, next.body.error.code]).toEqual([504, 'TRANSCRIPT_NOT_READY'])
    expect(next.body.error.jobId).not.toBe(jobId)
  })

  test('a client whose connection broke before is told the failure too', async () => {
    const caller = await newCaller()
    const { reader } = await begun(caller)
    const jobId = await liveJob(caller)
    await reader.cancel()
    await failWith(caller, jobId, 'SOURCE_PRIVATE')
    const told = await transcribe(caller, source)
    expect([told.status, told.body.error]).toMatchObject([400, { code: 'SOURCE_PRIVATE', jobId }])
  })

  test('another key, and a request with other options, are not told', async () => {
    const caller = await newCaller()
    const { read } = await begun(caller)
    const jobId = await liveJob(caller)
    await failWith(caller, jobId, 'INTERNAL')
    await expect(read()).rejects.toThrow()
    const made = await asOperator('POST', `/admin/accounts/${caller.accountId}/keys`)
    const others = [
      await transcribe({ apiKey: made.data.apiKey }, source, { waitMs: 1 }),
      await transcribe(caller, [...source, ['language', 'de']], { waitMs: 1 }),
    ]
    expect(others.map(({ status }) => status)).toEqual([504, 504])
  })

  test('a stream has an event with the error, and the next request starts a job', async () => {
    const caller = await newCaller()
    const { read } = await begun(caller, { fields: [['stream', 'true']] })
    const jobId = await liveJob(caller)
    await failWith(caller, jobId, 'SOURCE_PRIVATE')
    const [, data = ''] = /event: error\ndata: (.*)\n\n$/.exec(await read()) ?? []
    expect(JSON.parse(data).error).toMatchObject({ code: 'SOURCE_PRIVATE', type: 'invalid_request_error', jobId })
    const next = await transcribe(caller, source, { waitMs: 1 })
    expect(next.body.error.jobId).not.toBe(jobId)
  })
})

test('silence after the response has begun is an empty transcript', async () => {
  const caller = await newCaller()
  const { read } = await begun(caller)
  await failWith(caller, await liveJob(caller), 'NO_SPEECH')
  expect(JSON.parse(await read())).toMatchObject({ text: '' })
})

test('at the end of the longest wait the response breaks off, and the next request waits on', async () => {
  const caller = await newCaller()
  const { read } = await begun(caller)
  const jobId = await liveJob(caller)
  skip(600_000)
  await expect(read()).rejects.toThrow(/still runs/)
  const again = transcribe(caller, source)
  await recognizeAs(caller, jobId, segments)
  expect((await again).body.text).toBe('Good morning.')
})

test('when the client goes away, nobody asks for its job any more', async () => {
  const caller = await newCaller()
  const { calls, ACCOUNTS } = countedAccounts()
  const { reader, read } = await begun(caller, { within: { ACCOUNTS } })
  await read((text) => text.length >= 2)
  expect(calls()).toBeGreaterThan(0)
  await reader.cancel()
  const before = calls()
  // As many turns of the same event loop as several further questions would take.
  const other = await begun(caller)
  await other.read((text) => text.length >= 20)
  await other.reader.cancel()
  expect(calls()).toBe(before)
})

/** The namespace of accounts, which counts how often a job is watched. */
const countedAccounts = () => {
  let count = 0
  const ACCOUNTS = accountsWith((name) => {
    if (name === 'fetch') count++
  })
  return { calls: () => count, ACCOUNTS }
}

/** The namespace of accounts. `before` runs before each call. */
const accountsWith = (before: (act: string | symbol) => void) => {
  const watched = (account: object) =>
    new Proxy(account, {
      get: (target, name) => {
        before(name)
        return (...args: unknown[]) =>
          (target as Record<string | symbol, (...args: unknown[]) => unknown>)[name]?.(...args)
      },
    })
  return { getByName: (name: string) => watched(env.ACCOUNTS.getByName(name)) } as typeof env.ACCOUNTS
}

test('two hundred requests that wait for one job all get its transcript', async () => {
  const caller = await newCaller()
  const first = await begun(caller)
  const jobId = await liveJob(caller)
  const others = await Promise.all(Array.from({ length: 199 }, () => begun(caller)))
  const all = [first, ...others]
  await Promise.all(all.map(({ read }) => read((text) => text.length >= 1)))
  await recognizeAs(caller, jobId, segments)
  const texts = await Promise.all(all.map(({ read }) => read()))
  expect(new Set(texts.map((text) => JSON.parse(text).text))).toEqual(new Set(['Good morning.']))
  expect(await jobsOf(caller)).toHaveLength(1)
  await eventually(async () => expect((await caller.money()).heldDollars).toBe(0))
})
