import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { LEASE_MS } from '../../../domain/limits.ts'
import { transcriptKey } from '../../../domain/media/media-keys.ts'
import { namesIn } from '../support/caller.ts'
import { eventually, expectWithin, skip, timed } from '../support/clock.ts'
import { rowsOf } from '../support/tables.ts'
import {
  deliver,
  finishAudioStep,
  jobOf,
  keyOf,
  leaseOf,
  newCaller,
  type PreparedAudio,
  recognize,
  requestsTo,
  resentAt,
  type Slot,
  script,
} from '../support/transcriptions.ts'

const slots: Slot[] = ['provider_a', 'provider_b', 'provider_c']

const started = async (provider: Slot, audio: PreparedAudio = {}, request: object = { apiKey: keyOf(provider) }) => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({ provider, ...request })
  await finishAudioStep(caller, jobId, audio)
  return { caller, jobId }
}

const services: Record<Slot, string> = { provider_a: 'openai', provider_b: 'deepgram', provider_c: 'assemblyai' }

const sealedKeys = async (caller: Awaited<ReturnType<typeof newCaller>>): Promise<number> =>
  (await rowsOf(caller.account, 'sealed_keys')).length

const audioOf = async (jobId: string): Promise<string[]> =>
  (await env.MEDIA.list({ prefix: `audio/${jobId}/` })).objects.map(({ key }) => key)

afterEach(() => vi.restoreAllMocks())

describe.each(slots)('%s', (provider) => {
  test('pieces become one transcript, with the words and speakers that were asked for, at the price of its minutes and its download', async () => {
    const words = provider !== 'provider_a'
    const audio = { seconds: 600, downloadedBytes: 2_345_678, marks: [1, 2] }
    const { caller, jobId } = await started(provider, audio, { apiKey: keyOf(provider), words, speakers: true })
    const job = await recognize(caller, jobId)
    expect(job).toMatchObject({
      status: 'completed',
      result: {
        text: 'This is piece number 1. This is piece number 2.',
        source: provider,
        providerService: services[provider],
        duration: 600,
        costInDollars: 0.123457,
        downloadCostInDollars: 0.023457,
      },
    })
    expect(job.result.data.segments).toMatchObject([{ start: 0 }, { start: 300 }])
    const file = await (await caller.fetch(`/transcribe/transcript?id=${jobId}`)).json()
    expect(file).toMatchObject({ source: provider, providerService: services[provider] })
    expect(await caller.money()).toMatchObject({ balanceDollars: 10 - 0.123457, heldDollars: 0 })
    await eventually(async () => expect(await audioOf(jobId)).toEqual([]))
    const { result } = await jobOf(caller, jobId)
    expect(result?.hasWords).toBe(words)
    const stored = await env.MEDIA.get(transcriptKey(jobId, 'recognize', await namesIn(jobId, result?.attempt)))
    const text = (await stored?.text()) ?? ''
    expect(text).toContain(`"text":"This is piece number 2.","speaker":"B"`)
    expect(text.includes('"text":"number"')).toBe(words)
    if (words) expect(text).toMatch(/"text":"number","confidence":0\.\d+,"speaker":"B"/)
  })

  test('the key of a request is erased when its job ends, and a job without speech is free', async () => {
    const { caller, jobId } = await started(provider, { marks: [255] })
    expect(await sealedKeys(caller)).toBe(1)
    expect(await recognize(caller, jobId)).toMatchObject({ status: 'failed', code: 'NO_SPEECH' })
    expect(await sealedKeys(caller)).toBe(0)
    expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
  })

  test('a rejected key fails the job at once, free, and appears in no response and no log', async () => {
    const canary = 'cAnArY-qZ71kWm4XvT9pLe2'
    const logged = (['log', 'info', 'warn', 'error'] as const).map((level) => vi.spyOn(console, level))
    const { caller, jobId } = await started(provider, {}, { apiKey: canary })
    await deliver(caller, jobId, 'recognize')
    const job = await caller.status(jobId)
    expect(job).toMatchObject({ status: 'failed', code: 'PROVIDER_KEY_REJECTED', retryable: false })
    expect(JSON.stringify([job, logged.flatMap(({ mock }) => mock.calls)])).not.toContain('qZ71kW')
    expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
  })

  test('a stored key is read when the recognition starts', async () => {
    const caller = await newCaller()
    await caller.callApi('POST', '/transcription-provider', { provider, apiKey: 'an older key'.replaceAll(' ', '-') })
    const jobId = await caller.transcribe({ provider })
    await caller.callApi('POST', '/transcription-provider', { provider, apiKey: keyOf(provider) })
    await finishAudioStep(caller, jobId)
    expect(await recognize(caller, jobId)).toMatchObject({ status: 'completed' })
  })

  test('a provider that is down is tried three times with backoff, then the job fails, free', async () => {
    const { caller, jobId } = await started(provider)
    for (let attempt = 1; attempt <= 3; attempt++) {
      await script(provider, { status: 503, body: '<html>503</html>' })
      const { span } = await timed(() => deliver(caller, jobId, 'recognize'))
      if (attempt < 3) expectWithin(await resentAt(caller, jobId), span, 15_000 * 2 ** attempt)
    }
    expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'PROVIDER_FAILED', retryable: true })
    expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
  })
})

test('a rate limit of the provider delays the job without using attempts', async () => {
  const { caller, jobId } = await started('provider_a')
  for (let times = 1; times <= 5; times++) {
    await script('provider_a', { openai: 'rateLimited', given: 120 })
    const { span } = await timed(() => deliver(caller, jobId, 'recognize'))
    expect(await jobOf(caller, jobId)).toMatchObject({ usedAttempts: 0, carry: { waits: times } })
    expectWithin(await resentAt(caller, jobId), span, 120_000)
  }
  expect(await recognize(caller, jobId)).toMatchObject({ status: 'completed' })
})

test('a rate limit delays a job at most twenty times, five minutes each', async () => {
  const { caller, jobId } = await started('provider_a')
  for (let times = 1; times <= 20; times++) {
    await script('provider_a', { openai: 'rateLimited', given: 86_400 })
    const { span } = await timed(() => deliver(caller, jobId, 'recognize'))
    expectWithin(await resentAt(caller, jobId), span, 300_000)
  }
  await script('provider_a', { openai: 'rateLimited', given: 86_400 })
  await deliver(caller, jobId, 'recognize')
  expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'PROVIDER_RATE_LIMITED', retryable: true })
})

test('a crash between the response of the provider and the end of the job does not cost a second request', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { caller, jobId } = await started('provider_b', { marks: [1, 2] })
  const before = (await requestsTo('provider_b')).length
  const put = env.MEDIA.put.bind(env.MEDIA)
  const dies = vi.spyOn(env.MEDIA, 'put').mockImplementation((async (key: string, ...given: [string]) => {
    if (key.startsWith('transcripts/')) throw new Error('killed')
    return put(key, ...given)
  }) as never)
  await deliver(caller, jobId, 'recognize')
  expect(dies).toHaveBeenCalledTimes(3)
  dies.mockRestore()
  const lost = await leaseOf(caller, jobId, 'recognize')
  skip(LEASE_MS)
  expect(await recognize(caller, jobId)).toMatchObject({ status: 'completed', result: { costInDollars: 0.04 } })
  expect((await requestsTo('provider_b')).length - before).toBe(2)
  expect(await caller.account.giveBack(lost)).toBe(false)
  await deliver(caller, jobId, 'recognize')
  expect(await caller.money()).toMatchObject({ balanceDollars: 9.96, heldDollars: 0 })
})

test('a job at AssemblyAI is polled by messages, uses no attempts, and is deleted there when the transcript is stored', async () => {
  const { caller, jobId } = await started('provider_c')
  const { span } = await timed(() => deliver(caller, jobId, 'recognize'))
  expect(await jobOf(caller, jobId)).toMatchObject({ state: 'running', usedAttempts: 0 })
  expectWithin(await resentAt(caller, jobId), span, 3_000)
  const [pending] = (await requestsTo('provider_c')).filter(({ path }) => path === '/v2/transcript').slice(-1)
  expect(pending).toMatchObject({ method: 'POST' })
  await recognize(caller, jobId)
  expect((await requestsTo('provider_c')).at(-1)).toMatchObject({ method: 'DELETE' })
})

test('a canceled job sends nothing more to its provider, and its key is erased', async () => {
  const { caller, jobId } = await started('provider_c')
  await deliver(caller, jobId, 'recognize')
  const before = (await requestsTo('provider_c')).length
  await caller.callApi('DELETE', `/jobs/${jobId}`)
  await deliver(caller, jobId, 'recognize')
  expect((await requestsTo('provider_c')).length).toBe(before)
  expect(await sealedKeys(caller)).toBe(0)
  expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'CANCELED' })
})

test('a stored key that was removed before it was used fails the job', async () => {
  const caller = await newCaller()
  await caller.callApi('POST', '/transcription-provider', { provider: 'provider_b', apiKey: keyOf('provider_b') })
  const jobId = await caller.transcribe({ provider: 'provider_b' })
  await caller.callApi('DELETE', '/transcription-provider?provider=provider_b')
  await finishAudioStep(caller, jobId)
  await deliver(caller, jobId, 'recognize')
  expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'PROVIDER_KEY_REJECTED' })
})
