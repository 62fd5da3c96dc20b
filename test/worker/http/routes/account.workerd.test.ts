import { expect, test } from 'vitest'
import { usualPrices } from '../../support/account.ts'
import { asOperator, claimed, completed, newCaller, started } from '../../support/caller.ts'
import { nextMillisecond } from '../../support/clock.ts'

test('an account has its balance, held and available funds, prices, and limits', async () => {
  const caller = await newCaller(10)
  await started(caller)
  const { status, body } = await caller.get('/account')
  expect(status).toBe(200)
  expect(body.data).toEqual({
    accountId: caller.accountId,
    name: 'a caller',
    balanceDollars: 10,
    heldDollars: 0.153421,
    availableDollars: 9.846579,
    prices: usualPrices,
    retentionDays: 7,
    failedDeliveries: 0,
    index: true,
    search: { bytes: 0, passages: 0, full: false },
    freeWork: { engineSecondsLeft: 1_200, bytesLeft: 20_000_000_000, resetsAt: expect.stringMatching(/Z$/) },
    limits: {
      requestsPerHour: { import: 240, transcribe: 240, status: 3600, general: 3600 },
      concurrentJobs: { import: 2, transcription: 5 },
      freeWork: { engineSecondsPerHour: 1_200, bytesPerHour: 20_000_000_000 },
      uploadBytes: 50_000_000_000,
      watches: 100,
      maxMediaBytes: 15_000_000_000,
      maxMergedMediaBytes: 7_500_000_000,
      maxMediaSeconds: 43_200,
    },
  })
})

interface Entry {
  id: string
  kind: string
  amountDollars: number
  jobId: string | null
  at: string
}

const ledgerOf = async (caller: Awaited<ReturnType<typeof newCaller>>, limit: number): Promise<Entry[][]> => {
  const pages: Entry[][] = []
  let cursor = ''
  do {
    const { status, body } = await caller.get(`/account/ledger?limit=${limit}${cursor}`)
    expect(status).toBe(200)
    pages.push(body.data.entries)
    cursor = body.data.nextCursor && `&cursor=${body.data.nextCursor}`
  } while (cursor)
  return pages
}

const dollars = (entries: Entry[]): number =>
  Math.round(entries.reduce((total, { amountDollars }) => total + amountDollars * 1e6, 0)) / 1e6

test('credits and charges add up to the balance, for every page size', async () => {
  const caller = await newCaller(10)
  const done = await completed(caller)
  const failed = await started(caller)
  const lease = await claimed(caller, failed)
  await caller.account.failStep(lease, { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true })
  await asOperator('POST', `/admin/accounts/${caller.accountId}/credits`, {
    amountDollars: 2.5,
    reference: 'invoice 7',
  })
  await started(caller)

  const { balanceDollars, availableDollars } = (await caller.get('/account')).body.data
  const [all = []] = await ledgerOf(caller, 1000)
  expect(all.map(({ kind }) => kind)).toEqual([
    'hold',
    'credit',
    'release',
    'hold',
    'release',
    'charge',
    'hold',
    'credit',
  ])
  expect(all[5]).toEqual({
    id: expect.stringMatching(/^ent_/),
    kind: 'charge',
    amountDollars: -0.00001,
    jobId: done,
    keyId: caller.keyId,
    at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
  })
  expect(dollars(all.filter(({ kind }) => kind === 'credit' || kind === 'charge'))).toBe(balanceDollars)
  expect(dollars(all.filter(({ kind }) => kind !== 'charge'))).toBe(availableDollars)
  for (const size of [1, 3, 8, 9]) {
    const pages = await ledgerOf(caller, size)
    expect(pages.flat()).toEqual(all)
    expect(pages).toHaveLength(Math.ceil(all.length / size))
  }
})

test('a new account has an empty ledger', async () => {
  const { body } = await (await newCaller(0)).get('/account/ledger')
  expect(body.data).toEqual({ entries: [], nextCursor: null })
})

test.each(['limit=0', 'limit=1001', 'limit=x', `cursor=${'x'.repeat(101)}`])(
  'a ledger with %s is refused',
  async (query) => {
    const { status, body } = await (await newCaller()).get(`/account/ledger?${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  },
)

test('the ledger of another account cannot be read', async () => {
  const one = await newCaller(1)
  nextMillisecond()
  const other = await newCaller(2)
  const [entries] = await ledgerOf(other, 10)
  expect(entries?.map(({ amountDollars }) => amountDollars)).toEqual([2])
  expect((await one.get(`/account/ledger?cursor=${entries?.[0]?.id}`)).body.data.entries).toHaveLength(1)
})
