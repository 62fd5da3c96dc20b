import { evictDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { micros } from '../../../domain/money/money.ts'
import { admission, mediaFacts, newAccount, usualPrices } from '../support/account.ts'
import { startedBatch, takeTurn } from '../support/batches.ts'
import { asOperator, type Caller, claimed, FILM, newCaller, started } from '../support/caller.ts'

const setPrices = async ({ accountId }: Caller, prices: unknown) => {
  const { status, body } = await asOperator('PATCH', `/admin/accounts/${accountId}`, { prices })
  expect(status).toBe(200)
  return body.data.prices
}

const pricesOf = async (caller: Caller) => (await caller.get('/account')).body.data.prices

const media = mediaFacts(2_000_000)

/** As the container reports it. The account computes the charge. */
const fetched = async (caller: Caller, jobId: string): Promise<number> => {
  const lease = await claimed(caller, jobId)
  await caller.account.finishFetch(lease, {
    facts: media,
    stored: { attempt: 1, secret: 'secret', hasThumbnail: false },
  })
  return (await caller.get(`/jobs/${jobId}`)).body.data.result.costInDollars
}

const money = async (caller: Caller) => {
  const { balanceDollars, heldDollars } = (await caller.get('/account')).body.data
  return [balanceDollars, heldDollars]
}

const ledger = async (caller: Caller) => (await caller.get('/account/ledger')).body.data.entries

test('an account has the prices of the deployment, or its own, which are replaced as a whole', async () => {
  const caller = await newCaller()
  expect(await pricesOf(caller)).toEqual(usualPrices)
  expect(await setPrices(caller, { captions: 0.05, speechMinimum: 0 })).toEqual({
    ...usualPrices,
    captions: 0.05,
    speechMinimum: 0,
  })
  expect(await setPrices(caller, { downloadPerMegabyte: 0.000_001 })).toEqual({
    ...usualPrices,
    downloadPerMegabyte: 0.000_001,
  })
  await evictDurableObject(caller.account)
  expect(await pricesOf(caller)).toEqual({ ...usualPrices, downloadPerMegabyte: 0.000_001 })
  const { body } = await asOperator('GET', `/admin/accounts/${caller.accountId}`)
  expect(body.data.prices.downloadPerMegabyte).toBe(0.000_001)
  // What is not named stays as it is.
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { name: 'renamed' })
  expect((await pricesOf(caller)).downloadPerMegabyte).toBe(0.000_001)
  expect(Object.values(await setPrices(caller, 'free'))).toEqual([0, 0, 0, 0, 0])
  expect(await setPrices(caller, null)).toEqual(usualPrices)
})

test('prices that are none are refused and change nothing', async () => {
  const caller = await newCaller()
  const prices = { captions: -1 }
  const { status, body } = await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { prices })
  expect([status, body.code, body.details[0].path]).toEqual([400, 'INVALID_REQUEST', 'prices.captions'])
  expect(await pricesOf(caller)).toEqual(usualPrices)
})

test('a job is held for and charged by the prices that it was accepted with, whatever they become', async () => {
  const caller = await newCaller(10)
  await setPrices(caller, { downloadPerMegabyte: 0.1 })
  const jobId = await started(caller)
  // The film announces 15,342,100 bytes.
  expect(await money(caller)).toEqual([10, 1.53421])
  await setPrices(caller, { downloadPerMegabyte: 1 })
  await evictDurableObject(caller.account)
  expect(await fetched(caller, jobId)).toBe(0.2)
  expect(await money(caller)).toEqual([9.8, 0])
  const later = await started(caller, { clip: { start: 1 } })
  expect(await money(caller)).toEqual([9.8, 1])
  await setPrices(caller, 'free')
  expect(await fetched(caller, later)).toBe(2)
})

test('previews name the prices of the account', async () => {
  const caller = await newCaller()
  await setPrices(caller, { downloadPerMegabyte: 0.5, captions: 0, builtinPerMinute: 0.04 })
  const { body } = await caller.get(`/metadata?url=${encodeURIComponent(FILM)}`)
  expect(body.data.estimate).toMatchObject({
    imports: [{ costInDollars: 0.5 }, { costInDollars: 7.67105 }],
    transcription: { platformCaptions: 0, builtin: 0.06, provider: 0.03, audioDownload: 0.5 },
  })
})

test('a job that was free when it was accepted stays free', async () => {
  const caller = await newCaller(0)
  await setPrices(caller, 'free')
  const jobId = await started(caller)
  await setPrices(caller, null)
  expect(await fetched(caller, jobId)).toBe(0)
  expect(await ledger(caller)).toEqual([])
  const refused = await caller.post('/import', { url: FILM })
  expect([refused.status, refused.body.code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
})

test('all items of a batch have the prices that the batch was accepted with', async () => {
  const caller = await newCaller(10)
  await setPrices(caller, { downloadPerMegabyte: 0.05 })
  const batchId = await startedBatch(caller)
  await setPrices(caller, { downloadPerMegabyte: 1 })
  const jobs: string[] = []
  for (let index = 0; index < 3; index++) {
    await takeTurn(caller, batchId, index)
    const { items } = (await caller.get(`/batches/${batchId}/items`)).body.data
    jobs.push(items[index].jobId)
    expect(await fetched(caller, items[index].jobId)).toBe(0.1)
  }
  expect(new Set(jobs).size).toBe(3)
  expect((await caller.get(`/batches/${batchId}`)).body.data).toMatchObject({ status: 'completed', costInDollars: 0.3 })
})

test('where everything is free an account without a balance does all that others do, and its ledger stays empty', async () => {
  const caller = await newCaller(0)
  await setPrices(caller, 'free')
  expect(await fetched(caller, await started(caller))).toBe(0)
  const upload = await caller.post('/uploads', { filename: 'a.mp4', sizeBytes: 10 })
  expect(upload.status).toBe(201)
  // Media of unknown length needs no ceiling, and a ceiling holds nothing.
  for (const options of [{}, { maxCostDollars: 1 }]) {
    const { body } = await caller.post('/transcribe', { url: FILM, provider: 'builtin', ...options })
    const { jobId } = body.data
    const claim = await caller.account.claim(jobId, 'audio')
    expect(claim?.agreed).toEqual({ bytes: null, seconds: null })
    const lease = { jobId, lease: claim?.lease ?? '' }
    const report = { stage: 'downloading', percent: null, bytesPerSecond: null } as const
    const progress = { ...report, downloadedBytes: 5_000_000, totalBytes: null, durationSeconds: null }
    expect(await caller.account.reportProgress(lease, progress)).toMatchObject({
      verdict: 'continue',
      agreedBytes: null,
      agreedSeconds: null,
    })
  }
  expect(await money(caller)).toEqual([0, 0])
  expect(await ledger(caller)).toEqual([])
})

test('an import ends at its ceilings for free: known before the first byte, else when it has downloaded as much', async () => {
  const caller = await newCaller(10)
  const ends = async (options: object, totalBytes: number | null, neededBytes: number) => {
    const jobId = await started(caller, options)
    const lease = await claimed(caller, jobId)
    const report = { stage: 'downloading', percent: null, bytesPerSecond: null } as const
    const answer = await caller.account.reportProgress(lease, {
      ...report,
      downloadedBytes: 0,
      totalBytes,
      neededBytes,
    })
    const { status, code, message } = (await caller.get(`/jobs/${jobId}`)).body.data
    await caller.delete(`/jobs/${jobId}`)
    return [answer.verdict, status, code, message]
  }
  expect(await ends({ maxCostDollars: 0.1 }, 15_342_100, 0)).toEqual([
    'stop',
    'failed',
    'MAX_COST_EXCEEDED',
    'The media costs more than maxCostDollars.',
  ])
  expect(await ends({ maxCostDollars: 0.1 }, null, 10_000_001)).toContain('MAX_COST_EXCEEDED')
  expect(await ends({ maxBytes: 1_000 }, null, 1_001)).toEqual([
    'stop',
    'failed',
    'MEDIA_TOO_LARGE',
    'The media is larger than maxBytes.',
  ])
  expect(await ends({ maxCostDollars: 0.2, maxBytes: 16e6 }, 15_342_100, 0)).toContain('continue')
  expect(await money(caller)).toEqual([10, 0])
  // A ceiling bounds what is held, so less money is needed.
  const poor = await newCaller(0.01)
  expect((await poor.post('/import', { url: FILM, maxCostDollars: 0.005 })).status).toBe(202)
  expect(await money(poor)).toEqual([0.01, 0.005])
})

test.each([
  [{ maxCostDollars: 0 }],
  [{ maxCostDollars: '1' }],
  [{ maxBytes: 0 }],
  [{ maxBytes: 1.5 }],
  [{ maxBytes: 1e16 }],
])('POST /import refuses %j', async (options) => {
  const caller = await newCaller()
  const { status, body } = await caller.post('/import', { url: FILM, ...options })
  expect([status, body.details[0].path]).toEqual([400, Object.keys(options)[0]])
})

test('an import that may only be smaller is reused for one that may be larger', async () => {
  const caller = await newCaller()
  const jobId = await started(caller, { maxBytes: 16_000_000 })
  await fetched(caller, jobId)
  const { body } = await caller.post('/import', {
    url: FILM,
    maxCostDollars: 3,
    reuseWithinSeconds: 60,
  })
  expect(body.data).toMatchObject({ jobId, reused: true })
})

test('a start that a Worker of the last release sends is held as that Worker says', async () => {
  const { account, identity } = await newAccount(micros(1_000))
  const { result } = await account.admit(identity, admission(micros(600)))
  expect(result.ok).toBe(true)
  const announced = await account.admit(identity, admission(micros(600), { announcedBytes: 50_000 }))
  expect(announced.result).toMatchObject({ ok: false, refusal: { facts: { requiredDollars: 0.0005 } } })
})
