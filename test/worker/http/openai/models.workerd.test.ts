import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import type { Segment } from '../../../../domain/words/segment.ts'
import { fleetOf } from '../../../../worker/fleet/fleet-of.ts'
import { type Fields, fileOf, formOf, liveJob, PATH, sendTo } from '../../support/openai.ts'
import { english, small, withModels } from '../../support/speech-models.ts'
import { jobOf, newCaller, recognizeAs } from '../../support/transcriptions.ts'

/** The models of the deployment, where other services have theirs. Files are inspected by the engines of the tests. */
const places = {
  placeForProbe: (accountId: string, timeoutMs: number) => fleetOf(env, accountId).placeForProbe(accountId, timeoutMs),
  ended: (placeId: string) => fleetOf(env, '').ended(placeId),
}
const here = withModels([small, english], places)
const silent = withModels(null, { placeForProbe: async () => null })
const broken = withModels(null, {
  ...places,
  models: async () => {
    throw new Error('the fleet cannot be reached')
  },
})
const spoken: Segment[] = [{ start: 0.5, end: 2, text: 'Good morning.' }]

const file = (name = 'file'): [string, File] => [name, fileOf('the bytes of another long talk', name)]

/** What a request asks of its job, once it has started. */
const requestOf = async (path: string, fields: Fields, within: Partial<Env> = here) => {
  const caller = await newCaller()
  const responding = sendTo(path, { apiKey: caller.apiKey, body: formOf(fields), within })
  const jobId = await liveJob(caller)
  await recognizeAs(caller, jobId, spoken)
  expect((await responding).status).toBe(200)
  return (await jobOf(caller, jobId)).request
}

const errorOf = async (path: string, fields: Fields, within: Partial<Env> = here) => {
  const { apiKey } = await newCaller()
  const { status, body } = await sendTo(path, { apiKey, body: formOf(fields), within })
  return { status, ...body.error }
}

const heardBy = (model: string, fields: Fields = [], within: Partial<Env> = here) =>
  requestOf(PATH, [file(), ['model', model], ...fields], within)

describe('the model of a transcription', () => {
  test('is one of the deployment, by its name', async () => {
    expect(await heardBy('english')).toMatchObject({ provider: 'builtin', model: 'english', captionsFirst: false })
  })

  test.each(['whisper-1', 'haul-auto', 'gpt-4o-transcribe'])('is the default one if %s is named', async (name) => {
    expect(await heardBy(name)).not.toHaveProperty('model')
  })

  test('is the default one for well-known names also if the models cannot be learned', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    expect(await heardBy('whisper-1', [['prompt', 'A talk.']], broken)).toMatchObject({ provider: 'builtin' })
    expect(warned).toHaveBeenCalled()
  })

  test('that does not exist is refused with the names that do', async () => {
    const refused = { status: 404, code: 'model_not_found', param: 'model' }
    const error = await errorOf(PATH, [file(), ['model', 'other']])
    expect(error).toMatchObject({ ...refused, message: expect.stringContaining(' whisper-1, small, english, and all') })
    expect(await errorOf(PATH, [file(), ['model', 'other']], silent)).toMatchObject(refused)
  })

  test('is asked for of an engine, if none has said its models yet', async () => {
    let asked = 0
    const models = async () => ({ models: ++asked > 2 ? [english] : null, tellsSpeakers: null })
    const starting = withModels(null, { ...places, models })
    expect(await heardBy('english', [], starting)).toMatchObject({ model: 'english' })
  })
})

describe('what a model cannot', () => {
  const asked = 'timestamp_granularities[]'

  test.each<[string, Fields, string, string]>([
    [
      'word times',
      [
        ['response_format', 'verbose_json'],
        [asked, 'word'],
      ],
      asked,
      'when each word is said',
    ],
    ['speakers', [['response_format', 'diarized_json']], 'response_format', 'by whom'],
    ['another language', [['language', 'de']], 'language', 'knows en'],
  ])('is refused: %s', async (_, fields, param, reason) => {
    expect(await errorOf(PATH, [file(), ['model', 'english'], ...fields])).toMatchObject({
      ...{ status: 400, type: 'invalid_request_error', code: 'OPTION_UNSUPPORTED', param },
      message: expect.stringMatching(new RegExp(` english .*${reason}.* Supported by small\\.$`)),
    })
  })

  test('is refused: a translation', async () => {
    const error = await errorOf('/v1/audio/translations', [file(), ['model', 'english']])
    expect(error).toMatchObject({ status: 400, code: 'OPTION_UNSUPPORTED', param: 'model' })
  })

  test('is left out if nobody needs it: word times, and a prompt', async () => {
    const fields: Fields = [['prompt', 'A talk.']]
    const request = await heardBy('english', fields)
    expect(request).toMatchObject({ model: 'english', words: false })
    expect(request).not.toHaveProperty('vocabulary')
    expect(await heardBy('small', fields)).toMatchObject({ words: true, vocabulary: { prompt: 'A talk.' } })
    const onlyEnglish = withModels([{ ...english, isDefault: true }], places)
    expect(await heardBy('whisper-1', fields, onlyEnglish)).toMatchObject({ words: false })
  })
})

describe('GET /v1/models', () => {
  const get = async (path: string, within: Partial<Env>) =>
    sendTo(path, { apiKey: (await newCaller()).apiKey, method: 'GET', within })

  test('lists the models of the deployment after the names that every deployment has', async () => {
    const { body } = await get('/v1/models', here)
    const own = ['haul-auto', 'haul-builtin', 'provider_a', 'provider_b', 'provider_c', 'whisper-1']
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([...own, 'small', 'english'])
    expect((await get('/v1/models/english', here)).body).toMatchObject({ id: 'english', object: 'model' })
    expect((await get('/v1/models/other', here)).body.error.message).toContain(' whisper-1, small, english,')
  })

  test('lists the others while no engine has said its models', async () => {
    const { status, body } = await get('/v1/models', silent)
    expect([status, body.data]).toMatchObject([200, Array(6).fill({ object: 'model' })])
  })
})

describe('POST /asr', () => {
  const asr = (query: string) => `/asr?output=json&${query}`
  const detailOf = async (query: string) => {
    const { apiKey } = await newCaller()
    const body = formOf([file('audio_file')])
    const response = await sendTo(asr(query), { apiKey, body, within: here })
    return [response.status, response.body.detail]
  }

  test('takes a model, and leaves out what it cannot and nobody needs', async () => {
    const request = await requestOf(asr('model=english&initial_prompt=A%20talk'), [file('audio_file')])
    expect(request).toMatchObject({ provider: 'builtin', model: 'english', words: false })
    expect(request).not.toHaveProperty('vocabulary')
    const usual = await requestOf(asr('model=&initial_prompt=A%20talk'), [file('audio_file')])
    expect(usual).toMatchObject({ words: true, vocabulary: { prompt: 'A talk' } })
    expect(usual).not.toHaveProperty('model')
  })

  test.each([
    ['model=other', /model: must be one of: small, english$/],
    ['model=english&word_timestamps=true', /^words is not supported: .* Supported by small\.$/],
    ['model=english&diarize=true', /^speakers is not supported: /],
    ['model=english&task=translate', /^translate is not supported: /],
    ['model=english&language=german', /^language is not supported: the model english knows en\./],
  ])('refuses %s', async (query, detail) => {
    expect(await detailOf(query)).toEqual([400, expect.stringMatching(detail)])
  })
})
