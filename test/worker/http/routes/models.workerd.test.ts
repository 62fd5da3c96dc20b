import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import type { TranscribeRequest } from '../../../../domain/jobs/job.ts'
import { reuseKeyOf } from '../../../../domain/jobs/reuse-key.ts'
import type { OfferedModel } from '../../../../domain/jobs/speech-models.ts'
import { takeTurn } from '../../support/batches.ts'
import { asOperator, type Caller, FILM, newCaller } from '../../support/caller.ts'
import { english, sendWith, small, withModels } from '../../support/speech-models.ts'

const here = withModels([small, english])

const workersAi = { AI: { run: async () => ({ text: '' }) }, BUILTIN_SPEECH: 'workers-ai' }

const modelsOf = async (bindings: object, { apiKey }: Caller) => {
  const { status, body } = await sendWith(bindings, apiKey, 'GET', '/models')
  return { status, models: body.data?.models as (OfferedModel & { pricePerMinute: number })[] }
}

const setPrices = ({ accountId }: Caller, prices: unknown) =>
  asOperator('PATCH', `/admin/accounts/${accountId}`, { prices })

describe('GET /models', () => {
  test('lists what the engines have, what each can do, and what it costs the account', async () => {
    const caller = await newCaller()
    await setPrices(caller, { models: { english: 0.005 } })
    expect(await modelsOf(here, caller)).toEqual({
      status: 200,
      models: [
        { ...small, pricePerMinute: 0.02 },
        { ...english, pricePerMinute: 0.005 },
      ],
    })
  })

  test('takes any key, and requires one', async () => {
    const caller = await newCaller()
    const limited = await caller.post('/keys', { name: 'webhooks', scopes: ['manage'] })
    const { status } = await sendWith(here, limited.body.data.apiKey, 'GET', '/models')
    expect([status, (await sendWith(here, null, 'GET', '/models')).status]).toEqual([200, 401])
  })

  test('lists the model of Workers AI first, and it wins a name', async () => {
    const name = 'whisper-large-v3-turbo'
    const own = withModels([small, { ...english, name }])
    const { models } = await modelsOf({ ...own, ...workersAi }, await newCaller())
    expect(models.map((model) => [model.name, model.engine, model.isDefault, model.languages])).toEqual([
      [name, 'workers-ai', true, 'all'],
      ['small', 'builtin', false, 'all'],
    ])
  })

  test('starts an engine and asks it if none has said its models yet, and gives its place back', async () => {
    let asked = 0
    const models = async () => ({ models: ++asked > 2 ? [small] : null, tellsSpeakers: null })
    const placeForProbe = vi.fn(async () => ({ id: 'place', engine: 'engine-0' }))
    const ended = vi.fn(async () => {})
    const silent = withModels(null, { models, placeForProbe, ended })
    expect((await modelsOf(silent, await newCaller())).models.map(({ name }) => name)).toEqual(['small'])
    expect([placeForProbe.mock.calls.length, ended.mock.calls]).toEqual([1, [['place']]])
  })

  test('is refused, to be tried again, if no engine has a place', async () => {
    const unknown = withModels(null, { placeForProbe: async () => null })
    const { apiKey } = await newCaller()
    const { status, headers, body } = await sendWith(unknown, apiKey, 'GET', '/models')
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '10'])
  })
})

const start = async (bindings: object, fields: object, path = '/transcribe') => {
  const { apiKey } = await newCaller()
  const { status, body } = await sendWith(bindings, apiKey, 'POST', path, { url: FILM, ...fields })
  return { status, code: body.code, details: body.details }
}

describe('a model of a request', () => {
  test.each([
    ['provider builtin', { provider: 'builtin' }],
    ['mode speech', { mode: 'speech' }],
    ['mode auto, without an engine that tells its models', { mode: 'auto' }],
  ])('is taken with %s', async (_, fields) => {
    expect((await start(here, { ...fields, model: 'english', language: 'en-US' })).status).toBe(202)
  })

  test.each([
    ['captions only', {}],
    ['a third party', { provider: 'provider_a', apiKey: 'k' }],
    ['a third party in mode auto', { mode: 'auto', provider: 'openai', apiKey: 'k' }],
  ])('is refused with %s', async (_, fields) => {
    expect(await start(here, { ...fields, model: 'english' })).toEqual({
      ...{ status: 400, code: 'INVALID_REQUEST' },
      details: [{ path: 'model', message: 'is only allowed with the built-in engine' }],
    })
  })

  test('that does not exist is refused with the names of those that do', async () => {
    const refusal = { status: 400, code: 'INVALID_REQUEST' }
    const asked = { provider: 'builtin', model: 'other' }
    expect(await start(here, asked)).toEqual({
      ...refusal,
      details: [{ path: 'model', message: 'must be one of: small, english' }],
    })
    expect(await start(withModels([]), asked)).toEqual({
      ...refusal,
      details: [{ path: 'model', message: 'is not known: there is none here' }],
    })
    expect((await start({ ...here, ...workersAi }, asked)).details[0].message).toBe(
      'must be one of: whisper-large-v3-turbo, small, english',
    )
  })

  test.each([
    ['words', { words: true }],
    ['speakers', { speakers: true }],
    ['keywords', { keywords: ['Haul'] }],
    ['prompt', { prompt: 'A talk.' }],
    ['translate', { translate: 'en' }],
    ['language', { language: 'de-CH' }],
  ])('that cannot do %s is refused before anything is charged', async (path, fields) => {
    for (const way of [{ provider: 'builtin' }, { mode: 'auto' }]) {
      const { status, code, details } = await start(here, { ...way, model: 'english', ...fields })
      expect([status, code, details[0].path]).toEqual([400, 'OPTION_UNSUPPORTED', path])
      expect(details[0].message).toMatch(/ english .* Supported by small\.$/)
      expect((await start(here, { ...way, model: 'small', ...fields })).status).toBe(202)
    }
  })

  test('is the default one when it is not named, and nothing is refused while nobody knows that', async () => {
    const onlyEnglish = withModels([{ ...english, isDefault: true }])
    const { code, details } = await start(onlyEnglish, { provider: 'builtin', words: true })
    expect([code, details[0].path]).toEqual(['OPTION_UNSUPPORTED', 'words'])
    expect((await start(onlyEnglish, { provider: 'builtin' })).status).toBe(202)
    expect((await start(withModels(null), { provider: 'builtin', words: true })).status).toBe(202)
    expect((await start({ ...onlyEnglish, ...workersAi }, { mode: 'auto', words: true })).status).toBe(202)
  })

  test('is refused for now if no engine can be asked, except for that of Workers AI', async () => {
    const unknown = withModels(null, { placeForProbe: async () => null })
    expect((await start(unknown, { mode: 'auto', model: 'small' })).status).toBe(503)
    expect((await start({ ...unknown, ...workersAi }, { mode: 'auto', model: 'small' })).status).toBe(503)
    const named = { mode: 'auto', model: 'whisper-large-v3-turbo' }
    expect((await start({ ...unknown, ...workersAi }, named)).status).toBe(202)
  })

  test('is checked in imports, batches and watches, whose refusals name the field in full', async () => {
    const transcribe = { provider: 'builtin', model: 'english', words: true }
    const batch = { url: undefined, urls: [FILM] }
    for (const [path, fields, named] of [
      ['/import', { transcribe }, 'transcribe.words'],
      ['/batches', { ...batch, transcribe }, 'transcribe.words'],
      ['/batches', { ...batch, import: { transcribe } }, 'import.transcribe.words'],
      ['/watches', { transcribe }, 'transcribe.words'],
      ['/watches', { import: { transcribe: { mode: 'auto', model: 'other' } } }, 'import.transcribe.model'],
    ] as const) {
      const { status, details } = await start(here, fields, path)
      expect([status, details[0].path]).toEqual([400, named])
    }
    const { apiKey, post } = await newCaller()
    const { watchId } = (await post('/watches', { url: FILM })).body.data
    const change = { transcribe: { provider: 'builtin', model: 'english', speakers: true } }
    const { status, body } = await sendWith(here, apiKey, 'PATCH', `/watches/${watchId}`, change)
    expect([status, body.code, body.details[0].path]).toEqual([400, 'OPTION_UNSUPPORTED', 'transcribe.speakers'])
  })

  test('is part of what is asked: an earlier job is reused only for the same one', async () => {
    const { apiKey, account } = await newCaller()
    const jobIds: string[] = []
    for (const model of ['small', 'english', undefined]) {
      const body = { url: FILM, provider: 'builtin', ...(model && { model }) }
      jobIds.push((await sendWith(here, apiKey, 'POST', '/transcribe', body)).body.data.jobId)
    }
    const jobs = await Promise.all(jobIds.map((id) => account.readLinked(id)))
    expect(new Set(await Promise.all(jobs.map((job) => reuseKeyOf(job?.request as TranscribeRequest)))).size).toBe(3)
    expect(jobs.map((job) => job?.request)).toMatchObject([{ model: 'small' }, { model: 'english' }, {}])
    expect(jobs[2]?.request).not.toHaveProperty('model')
  })
})

describe('a job keeps the price of its model', () => {
  const prices = { builtinPerMinute: 0.1, models: { small: 0.2, english: 0.3 } }

  const priceOf = async ({ account }: Caller, jobId: string) => {
    const job = await account.readLinked(jobId)
    expect(job?.prices).not.toHaveProperty('models')
    return (job?.prices.builtinPerMinute ?? 0) / 1_000_000
  }

  test.each([
    ['named', here, { provider: 'builtin', model: 'english' }, 0.3],
    ['named, as a part of an import', here, { transcribe: { mode: 'auto', model: 'english' } }, 0.3],
    ['the default one', here, { provider: 'builtin' }, 0.2],
    ['the default one, which a quote is for', here, {}, 0.2],
    ['the default one of Workers AI, without a price of its own', { ...here, ...workersAi }, { mode: 'auto' }, 0.1],
    ['not known', withModels(null), { mode: 'auto' }, 0.1],
  ])('that is %s', async (_, bindings, fields, price) => {
    const caller = await newCaller()
    await setPrices(caller, prices)
    const path = 'transcribe' in fields ? '/import' : '/transcribe'
    const { body } = await sendWith(bindings, caller.apiKey, 'POST', path, { url: FILM, ...fields })
    await setPrices(caller, null)
    expect(await priceOf(caller, body.data.jobId)).toBe(price)
  })

  test.each([
    ['named', { provider: 'builtin', model: 'english' }, 0.3],
    ['the default one', { mode: 'auto' }, 0.2],
  ])('that is %s in a batch', async (_, transcribe, price) => {
    const caller = await newCaller()
    await setPrices(caller, prices)
    const { body } = await sendWith(here, caller.apiKey, 'POST', '/batches', { urls: [FILM], transcribe })
    await setPrices(caller, null)
    const { batchId } = body.data
    await takeTurn(caller, batchId, 0, { within: { ...env, ...here } })
    const { items } = (await caller.get(`/batches/${batchId}/items`)).body.data
    expect(await priceOf(caller, items[0].jobId)).toBe(price)
  })

  test('which GET /account shows, and a preview has that of the default one', async () => {
    const caller = await newCaller()
    await setPrices(caller, prices)
    expect((await caller.get('/account')).body.data.prices).toMatchObject(prices)
    const place = { placeForProbe: async () => ({ id: 'place', engine: 'engine-0' }), ended: async () => {} }
    const preview = `/metadata?url=${encodeURIComponent(FILM)}`
    const { body } = await sendWith(withModels([small, english], place), caller.apiKey, 'GET', preview)
    // A minute and a half.
    expect(body.data.estimate.transcription.builtin).toBe(0.3)
  })
})
