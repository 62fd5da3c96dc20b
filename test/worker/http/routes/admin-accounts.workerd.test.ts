import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { newId } from '../../../../domain/ids.ts'
import { usualPrices } from '../../support/account.ts'
import { type ApiResponse, asOperator, type Caller, claimed, FILM, newCaller, started } from '../../support/caller.ts'
import { eventually, expectWithin, nextMillisecond, runAlarm, skip, timed } from '../../support/clock.ts'
import { countUse } from '../../support/counts.ts'

const accountPath = ({ accountId }: Pick<Caller, 'accountId'>): string => `/admin/accounts/${accountId}`
const look = async (caller: Caller) => (await asOperator('GET', accountPath(caller))).body.data
const change = (caller: Caller, body: object): Promise<ApiResponse> => asOperator('PATCH', accountPath(caller), body)

interface Listed {
  accountId: string
  name: string
  suspended: boolean
}

const search = async (name: string, limit = 20): Promise<Listed[][]> => {
  const pages: Listed[][] = []
  let cursor = ''
  do {
    const query = `name=${encodeURIComponent(name)}&limit=${limit}${cursor}`
    const { body } = await asOperator('GET', `/admin/accounts?${query}`)
    pages.push(body.data.accounts)
    cursor = body.data.nextCursor && `&cursor=${body.data.nextCursor}`
  } while (cursor)
  return pages
}

/** Accounts of other tests are in the same list. */
const mark = newId('account', Date.now())
const namedAccount = async (name: string): Promise<string> =>
  (await asOperator('POST', '/admin/accounts', { name: `${name} ${mark}` })).body.data.accountId

await namedAccount('Ölmühle & Söhne')
await namedAccount('100% Video')
await namedAccount('100 Video_Clips')

test.each([
  ['100% video', ['100% Video']],
  ['100% VIDEO', ['100% Video']],
  ['ÖLMÜHLE', ['Ölmühle & Söhne']],
  ['o\u0308lmu\u0308hle', ['Ölmühle & Söhne']],
  ['SÖHNE', ['Ölmühle & Söhne']],
  ['video', ['100 Video_Clips', '100% Video']],
  ['100', ['100 Video_Clips', '100% Video']],
  ['100_', []],
  ['%Video', []],
  ['Video_', ['100 Video_Clips']],
  [mark.toUpperCase(), ['100 Video_Clips', '100% Video', 'Ölmühle & Söhne']],
  [`  ${mark}  `, ['100 Video_Clips', '100% Video', 'Ölmühle & Söhne']],
  ["' OR 1=1 --", []],
])('a search for "%s" finds %j', async (name, expected) => {
  const found = (await search(name))
    .flat()
    .flatMap(({ name }) => (name.includes(mark) ? name.replace(` ${mark}`, '') : []))
  expect(found.sort()).toEqual(expected)
})

test('a search has pages, and an account that is made meanwhile moves none of them', async () => {
  const name = newId('account', Date.now())
  const make = async (): Promise<string> => {
    nextMillisecond()
    return (await asOperator('POST', '/admin/accounts', { name: `page ${name}` })).body.data.accountId
  }
  const made: string[] = []
  for (let times = 0; times < 5; times++) {
    made.unshift(await make())
    await newCaller()
  }
  const first = await asOperator('GET', `/admin/accounts?name=${name}&limit=2`)
  await make()
  const rest = await asOperator('GET', `/admin/accounts?name=${name}&limit=3&cursor=${first.body.data.nextCursor}`)
  const ids = [...first.body.data.accounts, ...rest.body.data.accounts].map(({ accountId }: Listed) => accountId)
  expect(ids).toEqual(made)
  expect(rest.body.data.nextCursor).toBeNull()
  expect((await search(name, 2)).map((page) => page.length)).toEqual([2, 2, 2])
})

test.each(['a\u0000b', 'x\r\ny', 'a\u202eb', '\u200f a'])('the name %j is refused', async (name) => {
  const { status, body } = await asOperator('POST', '/admin/accounts', { name })
  const message = 'must have no control characters, and none that change the direction of text'
  expect([status, body.details]).toEqual([400, [{ path: 'name', message }]])
})

test.each(['', '&name='])('accounts are listed newest first, with the query "limit=100%s"', async (query) => {
  const older = await newCaller()
  nextMillisecond()
  const newer = await newCaller()
  const ids = [newer.accountId, older.accountId]
  const { accounts } = (await asOperator('GET', `/admin/accounts?limit=100${query}`)).body.data
  // Tests that moved the clock have made accounts that are newer.
  const listed = accounts.filter(({ accountId }: Listed) => ids.includes(accountId))
  const createdAt = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/)
  expect(listed).toEqual(ids.map((accountId) => ({ accountId, name: 'a caller', createdAt, suspended: false })))
})

test('an account that was never used can be retrieved', async () => {
  const caller = await newCaller(7)
  expect(await look(caller)).toEqual({
    accountId: caller.accountId,
    name: 'a caller',
    createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    suspended: false,
    balanceDollars: 7,
    heldDollars: 0,
    availableDollars: 7,
    prices: usualPrices,
    limits: {
      requestsPerHour: { import: 240, transcribe: 240, status: 3600, general: 3600 },
      concurrentJobs: { import: 2, transcription: 5 },
      freeWork: { engineSecondsPerHour: 1_200, bytesPerHour: 20_000_000_000 },
      uploadBytes: 50_000_000_000,
      watches: 100,
    },
    liveJobs: 0,
    lastUsedAt: null,
  })
})

test('an account shows its holds, its queued and running jobs, and its last use', async () => {
  const caller = await newCaller(10)
  const [running, canceled] = [await started(caller), await started(caller)]
  await claimed(caller, running)
  await caller.post('/transcribe', { url: FILM })
  expect(await look(caller)).toMatchObject({ liveJobs: 3, balanceDollars: 10, heldDollars: expect.any(Number) })
  const { span } = await timed(() => caller.delete(`/jobs/${canceled}`))
  const { liveJobs, lastUsedAt, heldDollars, availableDollars } = await look(caller)
  expect([liveJobs, heldDollars + availableDollars]).toEqual([2, 10])
  expectWithin(Date.parse(lastUsedAt), span)
})

test.each<[string, object, object]>([
  ['a name', { name: ' Ada Ltd ' }, { name: 'Ada Ltd' }],
  ['a suspension', { suspended: true }, { suspended: true }],
  ['limits', { limits: { requestsPerHour: { import: 10 } } }, {}],
])('%s can be changed before the first use, and the account keeps what it began with', async (_, changes, expected) => {
  const caller = await newCaller(7)
  const { status, body } = await change(caller, changes)
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ accountId: caller.accountId, balanceDollars: 7, lastUsedAt: null, ...expected })
  expect(await look(caller)).toEqual(body.data)
  expect((await caller.get('/account')).body.data).toMatchObject({ balanceDollars: 7, name: body.data.name })
})

test('a change stays after the object was evicted, and leaves all else as it was', async () => {
  const caller = await newCaller(10)
  await started(caller)
  const before = await look(caller)
  await change(caller, { name: 'Ada', limits: { concurrentJobs: { transcription: 7 } } })
  await change(caller, { suspended: true })
  await evictDurableObject(caller.account)
  expect(await look(caller)).toEqual({
    ...before,
    name: 'Ada',
    suspended: true,
    limits: { ...before.limits, concurrentJobs: { import: 2, transcription: 7 } },
  })
})

test('the list follows a change, also when D1 was not available at first', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const name = newId('account', Date.now())
  const caller = await newCaller()
  const listed = async () => (await search(name.toUpperCase())).flat()
  await change(caller, { name })
  await eventually(async () => expect(await listed()).toMatchObject([{ name, suspended: false }]))
  const prepare = vi.spyOn(Object.getPrototypeOf(env.DB), 'prepare').mockImplementation(() => {
    throw new Error('D1 is gone')
  })
  expect((await change(caller, { suspended: true })).status).toBe(200)
  await eventually(async () => expect(prepare).toHaveBeenCalled())
  prepare.mockRestore()
  expect(await listed()).toMatchObject([{ suspended: false }])
  await evictDurableObject(caller.account)
  skip(60_000)
  await runAlarm(caller.account)
  expect(await listed()).toMatchObject([{ name, suspended: true }])
})

test('a change to what an account has already writes nothing', async () => {
  const caller = await newCaller()
  await change(caller, { name: 'Ada', limits: { concurrentJobs: { import: 3 } } })
  await eventually(async () =>
    expect((await search('Ada', 100)).flat()).toContainEqual(expect.objectContaining({ accountId: caller.accountId })),
  )
  const counts = await countUse(caller)
  await change(caller, { name: 'Ada', suspended: false, limits: { concurrentJobs: { import: 3 } } })
  expect([counts.objectRows, counts.d1Rows]).toEqual([0, 0])
})

test.each([
  ['an unknown account', 'acct_01m7y000000000000000000000'],
  ['a malformed id', 'acct_nonsense'],
])('%s is a 404', async (_, accountId) => {
  for (const response of [
    await asOperator('GET', `/admin/accounts/${accountId}`),
    await asOperator('PATCH', `/admin/accounts/${accountId}`, { suspended: true }),
  ]) {
    expect([response.status, response.body.code]).toEqual([404, 'NOT_FOUND'])
  }
})
