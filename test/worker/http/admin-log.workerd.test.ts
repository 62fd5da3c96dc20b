import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type ApiResponse, asOperator, callApi, newCaller } from '../support/caller.ts'

const [ada, bob] = ['a-token-of-ada-alone', 'B0B/S+T0KEN-0F.B0B==']

const setAdminTokens = (text: string): void => {
  const settings = env as { ADMIN_TOKENS?: string }
  settings.ADMIN_TOKENS = text
  onTestFinished(() => {
    settings.ADMIN_TOKENS = ''
  })
}

/** The events of the log while `act` runs, and all that was logged. */
const logged = async (act: () => Promise<unknown>): Promise<{ events: object[]; text: string }> => {
  const log = vi.spyOn(console, 'log').mockReturnValue()
  const errors = vi.spyOn(console, 'error').mockReturnValue()
  await act()
  const lines = log.mock.calls.map(([line]) => `${line}`)
  const text = [...lines, ...errors.mock.calls.flat().map(String)].join('\n')
  log.mockRestore()
  errors.mockRestore()
  return { events: lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'admin'), text }
}

const as = (token: string, method: string, path: string, body?: unknown) => callApi(method, path, { key: token, body })

test('every token of ADMIN_TOKENS is an operator’s, besides ADMIN_TOKEN', async () => {
  setAdminTokens(`ada:${ada},bob:${bob}`)
  for (const token of [ada, bob, 'admin-token']) expect((await as(token, 'GET', '/admin/accounts')).status).toBe(200)
})

const { apiKey } = await newCaller()
const ofOthers = ['ada', `ada:${ada}`, ada.toUpperCase(), ada.slice(1), `${ada},bob`, '', bob, apiKey]

test.each([...ofOthers, 'admin-token2', 'ADMIN-TOKEN', 'admin-toke'])(
  'the token "%s" gets the one 401 of all endpoints for operators',
  async (token) => {
    setAdminTokens(`ada:${ada}`)
    const caller = await newCaller()
    const given = [
      await as(token, 'GET', '/admin/accounts'),
      await as(token, 'PATCH', `/admin/accounts/${caller.accountId}`, { suspended: true }),
      await as(token, 'GET', '/admin/accounts/acct_nonsense'),
    ]
    for (const { status, headers, body } of given) {
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(body).toEqual({
        success: false,
        error: 'A valid operator token is required: Authorization: Bearer <ADMIN_TOKEN>.',
        code: 'UNAUTHORIZED',
        requestId: headers.get('x-request-id'),
      })
    }
    expect((await asOperator('GET', `/admin/accounts/${caller.accountId}`)).body.data.suspended).toBe(false)
  },
)

test('who changed what is one line of the log for each request, without a token or a key', async () => {
  setAdminTokens(`ada:${ada},bob:${bob}`)
  const created = { accountId: '', apiKey: '', keyId: '' }
  const second = { apiKey: '', keyId: '' }
  const limits = { requestsPerHour: { import: 10 }, concurrentJobs: { import: null } }
  const { events, text } = await logged(async () => {
    Object.assign(created, (await as(ada, 'POST', '/admin/accounts', { name: 'Eve', creditDollars: 2 })).body.data)
    const path = `/admin/accounts/${created.accountId}`
    await as(bob, 'PATCH', path, { suspended: true, limits })
    await as('admin-token', 'POST', `${path}/credits`, { amountDollars: 5, reference: 'invoice 7' })
    Object.assign(second, (await as(ada, 'POST', `${path}/keys`)).body.data)
    await as(ada, 'DELETE', `${path}/keys/${created.keyId}`)
    await as(ada, 'GET', `${path}?name=x`)
    await as(ada, 'GET', '/admin/accounts?name=secret')
  })
  const { accountId, keyId } = created
  const path = `/admin/accounts/${accountId}`
  const line = (admin: string, method: string, path: string, changes: object) => ({
    event: 'admin',
    admin,
    requestId: expect.stringMatching(/^req_/),
    method,
    path,
    status: 200,
    changes,
  })
  expect(events).toEqual([
    line('ada', 'POST', '/admin/accounts', { accountId, name: 'Eve', creditDollars: 2, keyId }),
    line('bob', 'PATCH', path, { suspended: true, limits }),
    line('admin', 'POST', `${path}/credits`, { amountDollars: 5, reference: 'invoice 7' }),
    line('ada', 'POST', `${path}/keys`, { keyId: second.keyId }),
    line('ada', 'DELETE', `${path}/keys/${keyId}`, { keyId }),
  ])
  for (const secret of [ada, bob, 'admin-token', created.apiKey, second.apiKey]) expect(text).not.toContain(secret)
})

test('refused changes are logged too, with their status', async () => {
  const caller = await newCaller()
  const path = `/admin/accounts/${caller.accountId}`
  const { events, text } = await logged(async () => {
    await callApi('PATCH', path, { key: 'a-wrong-token', body: { suspended: true } })
    await callApi('DELETE', `${path}/keys/${caller.keyId}?token=secret`)
    await asOperator('PATCH', path, {})
    await asOperator('PATCH', path, '{')
    await asOperator('PATCH', '/admin/accounts/acct_nonsense', { suspended: true })
    await asOperator('POST', `${path}/credits`, { amountDollars: 1, reference: 'x' })
    await asOperator('POST', `${path}/credits`, { amountDollars: 2, reference: 'x' })
  })
  expect(events).toMatchObject([
    { admin: null, status: 401, method: 'PATCH', path },
    { admin: null, status: 401, method: 'DELETE', path: `${path}/keys/${caller.keyId}` },
    { admin: 'admin', status: 400 },
    { admin: 'admin', status: 400 },
    { admin: 'admin', status: 404, changes: { suspended: true } },
    { admin: 'admin', status: 200 },
    { admin: 'admin', status: 422, changes: { amountDollars: 2, reference: 'x' } },
  ])
  expect(text).not.toContain('a-wrong-token')
  expect(text).not.toContain('secret')
})

test('an address that sends wrong tokens again and again gets 429 without a line of the log, until it has a valid one', async () => {
  const from = (address: string, key: string) =>
    callApi('POST', '/admin/accounts', { key, body: {}, headers: { 'cf-connecting-ip': address } })
  const answers: ApiResponse[] = []
  // The limit's minute may end in between, but not after every 20th request.
  const { events } = await logged(async () => {
    do answers.push(await from('203.0.113.7', 'a-wrong-token'))
    while (answers.at(-1)?.status !== 429)
    answers.push(await from('203.0.113.7', 'admin-token'))
    answers.push(await from('203.0.113.8', 'a-wrong-token'))
    answers.push(await callApi('POST', '/admin/accounts', { key: 'a-wrong-token', body: {} }))
  })
  const [limited, valid, elsewhere, unknown] = answers.slice(-4)
  expect(limited?.headers.get('retry-after')).toBe('60')
  expect(limited?.body).toMatchObject({ success: false, code: 'RATE_LIMITED', requestId: expect.any(String) })
  expect([valid?.status, elsewhere?.status, unknown?.status]).toEqual([400, 401, 401])
  const statuses = answers.map(({ status }) => status)
  expect(events.map((event) => (event as { status: number }).status)).toEqual(
    statuses.filter((status) => status !== 429),
  )
  expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(20)
})

test('a fault of a change is logged with status 500', async () => {
  vi.spyOn(env.DB, 'prepare').mockImplementationOnce(() => {
    throw new Error('D1 is gone')
  })
  const { events } = await logged(() => asOperator('POST', '/admin/accounts', { name: 'Eve' }))
  expect(events).toMatchObject([{ admin: 'admin', status: 500, changes: { name: 'Eve' } }])
})

test('malformed ADMIN_TOKENS stop the endpoints of operators with a logged reason, and nothing else', async () => {
  const caller = await newCaller()
  setAdminTokens('ada:tooshort')
  const answers: number[] = []
  const { text } = await logged(async () => {
    answers.push((await asOperator('GET', '/admin/accounts')).status, (await caller.get('/account')).status)
  })
  expect(answers).toEqual([500, 200])
  expect(text).toContain('ADMIN_TOKENS: the token of ada has fewer than 16 characters')
  expect(text).not.toContain('tooshort')
})
