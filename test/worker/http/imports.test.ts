import { expect, test } from 'vitest'
import { filmCost } from '../origin-facts.ts'
import { FILM, newCaller, started } from './caller.ts'

test('an import is accepted with 202, an id, its status and a sentence', async () => {
  const caller = await newCaller()
  const { status, body } = await caller.post('/import', { url: FILM })
  expect(status).toBe(202)
  expect(body).toEqual({
    success: true,
    data: {
      jobId: expect.stringMatching(/^imp_[0-9a-z]{26}$/),
      status: 'queued',
      message: 'The import is queued. Poll GET /import/status, or send webhookUrl to get a webhook when it ends.',
    },
  })
})

test('with a webhookUrl the sentence says that a webhook comes', async () => {
  const caller = await newCaller()
  const webhookUrl = 'https://receiver.example/hook'
  const { status, body } = await caller.post('/import', { url: FILM, webhookUrl })
  expect([status, body.data.message]).toEqual([
    202,
    'The import is queued. A webhook is sent to webhookUrl when it ends.',
  ])
})

test('all parameters of the spec are taken', async () => {
  const caller = await newCaller()
  const { status } = await caller.post('/import', {
    url: FILM,
    includeVideo: false,
    includeAudio: true,
    videoQuality: '2160p',
    audioQuality: 'lowest',
    webhookUrl: 'https://receiver.example/hook',
    store: false,
    storagePath: 'films/2026',
    storageFilename: 'my film',
    storageBucket: 'my-bucket',
    storageClass: 'STANDARD',
    storageReturnLocation: false,
  })
  expect(status).toBe(202)
})

test('space around a url, as pasting leaves it, is no mistake', async () => {
  const caller = await newCaller()
  const jobId = await started(caller, { url: ` ${FILM}\n` })
  expect((await caller.get(`/jobs/${jobId}`)).body.data.url).toBe(FILM)
})

test('a source that announces its size is held for to the micro-dollar, any other for one MB', async () => {
  const caller = await newCaller()
  await started(caller)
  expect((await caller.get('/account')).body.data.heldDollars).toBe(filmCost)
  const other = await newCaller()
  await started(other, { url: 'https://page.example/watch' })
  expect((await other.get('/account')).body.data.heldDollars).toBe(0.01)
})

test('a hold that does not fit is refused with what is required and what is there', async () => {
  const caller = await newCaller(0.1)
  const { status, body } = await caller.post('/import', { url: FILM })
  expect([status, body.code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
  expect(body).toMatchObject({ requiredDollars: filmCost, availableDollars: 0.1 })
})

test('store without a bucket is refused before a job exists', async () => {
  const caller = await newCaller()
  const { status, body } = await caller.post('/import', { url: FILM, store: true })
  expect([status, body.code]).toEqual([400, 'STORAGE_NOT_CONFIGURED'])
  expect((await caller.get('/account')).body.data.heldDollars).toBe(0)
})
