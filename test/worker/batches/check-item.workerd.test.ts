import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { deliverTurn, films, readBatch, readItems, startedBatch, takeTurn } from '../support/batches.ts'
import { FILM, newCaller } from '../support/caller.ts'
import { eventually, skip } from '../support/clock.ts'
import { filmCost } from '../support/film.ts'

const UNREACHABLE = 'https://status.example/404'

test('when its turn has come, the URL of an item is requested, and its job holds the exact price', async () => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller)
  expect((await takeTurn(caller, batchId, 0)).explicitAcks).toEqual(['message'])
  const [first, second] = await readItems(caller, batchId)
  expect(first).toEqual({
    index: 0,
    url: films(1)[0],
    title: null,
    jobId: expect.stringMatching(/^imp_/),
    status: 'queued',
    code: null,
    message: null,
    costInDollars: null,
    complete: null,
  })
  expect(second).toMatchObject({ index: 1, status: 'waiting', jobId: null })
  expect((await caller.get('/account')).body.data.heldDollars).toBe(filmCost)
  expect(await readBatch(caller, batchId)).toMatchObject({ status: 'running', counts: { waiting: 2, running: 1 } })
  expect((await caller.get(`/jobs/${first.jobId}`)).body.data).toMatchObject({ type: 'import', url: first.url })
})

test('an item whose URL cannot be reached fails with the code of a refused request, and the others go on', async () => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller, { urls: [UNREACHABLE, 'http://127.0.0.1/', FILM] })
  for (const index of [0, 1, 2]) await takeTurn(caller, batchId, index)
  const failed = {
    status: 'failed',
    code: 'UNREACHABLE_URL',
    message: 'The URL could not be reached.',
    jobId: null,
  }
  expect(await readItems(caller, batchId)).toMatchObject([failed, failed, { status: 'queued', code: null }])
  expect((await readBatch(caller, batchId)).counts).toMatchObject({ failed: 2, running: 1 })
})

test('a URL that hangs does not hold up the other messages of its queue', async () => {
  const caller = await newCaller()
  const held = (what: string) => `https://held.example/${what}/${caller.accountId}`
  const batchId = await startedBatch(caller, { urls: [held('wait')] })
  const { done } = await deliverTurn(caller, batchId, 0)
  await eventually(async () => expect((await fetch(held('has'))).status).toBe(200))
  expect(await readItems(caller, batchId)).toMatchObject([{ status: 'waiting' }])
  await fetch(held('go'))
  await done()
  expect(await readItems(caller, batchId)).toMatchObject([{ status: 'queued' }])
})

test('an item stays waiting if no container can check its address', async () => {
  const errors = vi.spyOn(console, 'error').mockReturnValue()
  const caller = await newCaller()
  const batchId = await startedBatch(caller)
  const within = { ...env, ENGINE_URLS: 'http://refused.example' }
  // A fault of our own would be tried three times.
  for (let checks = 0; checks < 4; checks++) {
    await takeTurn(caller, batchId, 0, { within })
    skip(60_000)
  }
  expect(errors).toHaveBeenCalledTimes(4)
  expect(await readItems(caller, batchId)).toMatchObject([{ status: 'waiting' }, { status: 'waiting' }, {}])
})

test('an item whose check fails by our fault is checked three times, and then fails alone', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const caller = await newCaller()
  const batchId = await startedBatch(caller)
  const { account: whole } = caller
  const account = {
    claimItem: (...args: Parameters<typeof whole.claimItem>) => whole.claimItem(...args),
    failCheck: (...args: Parameters<typeof whole.failCheck>) => whole.failCheck(...args),
    admitItem: () => Promise.reject(new Error('a fault')),
  }
  const within = { ...env, ACCOUNTS: { getByName: () => account } } as never
  for (let checks = 0; checks < 3; checks++) {
    expect(await readItems(caller, batchId)).toMatchObject([{ status: 'waiting' }, { status: 'waiting' }, {}])
    await takeTurn(caller, batchId, 0, { within })
    skip(60_000)
  }
  expect(await readItems(caller, batchId)).toMatchObject([{ status: 'failed', code: 'INTERNAL' }, {}, {}])
  await takeTurn(caller, batchId, 1)
  expect(await readItems(caller, batchId)).toMatchObject([{}, { status: 'queued' }, {}])
})

test('a message is retried if the account cannot be asked', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const caller = await newCaller()
  const batchId = await startedBatch(caller)
  const broken = {
    ...env,
    ACCOUNTS: { getByName: () => ({ claimItem: () => Promise.reject(new Error('the object is gone')) }) },
  }
  const { explicitAcks, retryMessages } = await takeTurn(caller, batchId, 0, { within: broken as never })
  expect([explicitAcks, retryMessages]).toEqual([[], [{ msgId: 'message' }]])
})

test.each([
  [{ language: 'de', provider: 'provider_a', captionsFirst: true }, { language: 'de' }],
  [{ mode: 'auto', provider: 'openai' }, { language: null }],
])(
  'items are transcribed with the options of the batch, which may name a mode and a service: %j',
  async (options, asked) => {
    const caller = await newCaller()
    const transcribe = { ...options, apiKey: 'k' }
    const batchId = await startedBatch(caller, { import: undefined, transcribe })
    await takeTurn(caller, batchId, 0)
    const [{ jobId }] = await readItems(caller, batchId)
    expect(jobId).toMatch(/^trn_/)
    const claimed = await caller.account.claim(jobId, 'captions')
    expect(claimed?.job.request).toMatchObject({ ...asked, provider: 'provider_a', captionsFirst: true })
    expect(claimed?.job.request).not.toHaveProperty('mode')
    expect(JSON.stringify(claimed?.job)).not.toContain('"k"')
  },
)

test('when batches are canceled before any item has started, the items of the next one get their turns', async () => {
  const caller = await newCaller()
  const batchIds = [await startedBatch(caller), await startedBatch(caller), await startedBatch(caller)]
  const [first = '', second = '', third = ''] = batchIds
  await takeTurn(caller, third, 0)
  expect(await readItems(caller, third, 'status=queued')).toEqual([])
  for (const batchId of [first, second]) await caller.delete(`/batches/${batchId}`)
  await takeTurn(caller, third, 0)
  expect(await readItems(caller, third, 'status=queued')).toHaveLength(1)
})
