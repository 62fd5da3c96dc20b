import { evictDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { fetchedFile, fetchedImport } from '../../support/account.ts'
import { startedBatch, takeTurn } from '../../support/batches.ts'
import { asOperator, type Caller, callApi, claimed, completed, FILM, newCaller, send } from '../../support/caller.ts'
import { eventually, nextMillisecond, skip } from '../../support/clock.ts'
import { recordedJobs, rowsOf } from '../../support/tables.ts'

/** Another key of the caller's account, with the calls of a caller. */
const withKey = async (caller: Caller, terms: object = {}): Promise<Caller> => {
  const { status, body } = await caller.post('/keys', { name: 'another', ...terms })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return keyed(caller, body.data)
}

const keyed = (caller: Caller, { apiKey, keyId }: { apiKey: string; keyId: string }): Caller => ({
  ...caller,
  apiKey,
  keyId,
  get: (path, headers = {}) => callApi('GET', path, { key: apiKey, headers }),
  post: (path, body, headers = {}) => callApi('POST', path, { key: apiKey, body, headers }),
  delete: (path) => callApi('DELETE', path, { key: apiKey }),
})

const patch = ({ apiKey }: Caller, keyId: string, body: object) =>
  callApi('PATCH', `/keys/${keyId}`, { key: apiKey, body })

const keysOf = async (caller: Caller) => (await caller.get('/keys')).body.data.keys

const MB = 1_000_000

/** Starts an import and completes it with so many bytes. */
const imported = async (caller: Caller, bytes = MB, options: object = {}): Promise<string> => {
  nextMillisecond()
  const { status, body } = await caller.post('/import', { url: FILM, clip: { start: 1 }, ...options })
  if (status !== 202) throw new Error(JSON.stringify(body))
  const { jobId } = body.data
  await ended(caller, jobId, bytes)
  return jobId
}

const ended = async (caller: Caller, jobId: string, bytes = MB): Promise<void> => {
  const lease = await claimed(caller, jobId)
  await caller.account.finishFetch(lease, fetchedFile(fetchedImport(bytes)))
}

test('a key is made, shown once, listed with its beginning, changed and removed', async () => {
  const caller = await newCaller()
  nextMillisecond()
  const { status, body } = await caller.post('/keys', { name: ' ci ', dollarsPerMonth: 1.5 })
  expect(status).toBe(201)
  const { apiKey, ...shown } = body.data
  expect(apiKey).toMatch(/^haul_[0-9a-z]{26}_[A-Za-z0-9]{32}_[0-9a-f]{24}$/)
  expect(shown).toEqual({
    keyId: expect.stringMatching(/^key_/),
    name: 'ci',
    prefix: apiKey.slice(0, 36),
    scopes: ['read', 'import', 'transcribe', 'manage'],
    dollarsPerMonth: 1.5,
    spentThisMonthDollars: 0,
    heldDollars: 0,
    expiresAt: null,
    allowedOrigins: [],
    createdAt: expect.stringMatching(/Z$/),
    lastUsedAt: null,
  })
  expect((await callApi('GET', '/account', { key: apiKey })).status).toBe(200)
  const [first, second] = await keysOf(caller)
  // The first key of an account was made by an operator.
  expect(first).toMatchObject({ keyId: caller.keyId, name: null, prefix: caller.apiKey.slice(0, 32) })
  expect(second).toEqual({ ...shown, lastUsedAt: expect.stringMatching(/Z$/) })
  expect(JSON.stringify(await caller.get('/keys'))).not.toContain(apiKey)

  const changed = await patch(caller, shown.keyId, { name: 'laptop', dollarsPerMonth: null, scopes: ['read', 'read'] })
  expect([changed.status, changed.body.data]).toMatchObject([
    200,
    { name: 'laptop', dollarsPerMonth: null, scopes: ['read'] },
  ])
  await evictDurableObject(caller.account)
  expect(await keysOf(caller)).toMatchObject([{}, { name: 'laptop', scopes: ['read'], prefix: shown.prefix }])

  const removed = await send('DELETE', `/keys/${shown.keyId}`, { key: caller.apiKey })
  expect([removed.status, await removed.text()]).toEqual([204, ''])
  expect((await callApi('GET', '/account', { key: apiKey })).status).toBe(401)
  // The answer may have been lost.
  expect((await caller.delete(`/keys/${shown.keyId}`)).status).toBe(204)
  expect((await caller.delete('/keys/key_unknown')).status).toBe(404)
  expect((await patch(caller, shown.keyId, { name: 'x' })).status).toBe(404)
  expect(await keysOf(caller)).toHaveLength(1)
})

test('a key without a scope is refused with the scope that it lacks, by every request that needs it', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  const only = async (...scopes: string[]) => withKey(caller, { scopes })
  const keys = {
    read: await only('read'),
    import: await only('import'),
    transcribe: await only('transcribe'),
    manage: await only('manage'),
  }
  const url = encodeURIComponent(FILM)
  const requests: [method: string, path: string, body: object | undefined, scopes: (keyof typeof keys)[]][] = [
    ['POST', '/import', { url: FILM }, ['import']],
    ['POST', '/transcribe', { url: FILM }, ['transcribe']],
    ['POST', '/batches', { urls: [FILM], import: {} }, ['import']],
    ['POST', '/batches', { urls: [FILM], transcribe: {} }, ['transcribe']],
    ['POST', '/uploads', { filename: 'a.mp4', sizeBytes: 10 }, ['transcribe']],
    ['GET', `/metadata?url=${url}`, undefined, ['import', 'transcribe']],
    ['GET', '/v1/models', undefined, ['transcribe']],
    ['GET', '/account', undefined, ['read']],
    ['GET', '/account/ledger', undefined, ['read']],
    ['GET', '/events', undefined, ['read']],
    ['GET', '/jobs', undefined, ['read', 'import', 'transcribe']],
    ['GET', '/batches', undefined, ['read', 'import', 'transcribe']],
    ['GET', '/storage', undefined, ['read', 'manage']],
    ['GET', '/transcription-provider', undefined, ['read', 'manage']],
    ['GET', '/webhooks/deliveries', undefined, ['read', 'manage']],
    ['GET', '/webhooks/secret', undefined, ['manage']],
    ['POST', '/webhooks/secret/rotate', undefined, ['manage']],
    ['POST', '/transcription-provider', { provider: 'provider_a', apiKey: 'k' }, ['manage']],
    ['DELETE', '/storage', undefined, ['manage']],
  ]
  for (const [method, path, body, scopes] of requests) {
    for (const [scope, { apiKey }] of Object.entries(keys)) {
      const response = await send(method, path, { key: apiKey, body })
      const text = path === '/events' && response.status === 200 ? '' : await response.text()
      await response.body?.cancel().catch(() => {})
      const isRefused = response.status === 403
      expect([method, path, scope, isRefused]).toEqual([method, path, scope, !scopes.includes(scope as 'read')])
      if (isRefused) expect(text).toContain('SCOPE_MISSING')
    }
  }
  const { body } = await keys.read.post('/import', { url: FILM })
  expect(body).toMatchObject({ code: 'SCOPE_MISSING', scope: 'import', keyScopes: 'read' })
  expect(body.error).toBe('This request needs a key with the scope import.')
  expect((await keys.read.get(`/jobs/${jobId}`)).status).toBe(200)
})

test('a key without read sees, reads and cancels only what it has started itself', async () => {
  const caller = await newCaller()
  const foreign = await completed(caller)
  const own = await withKey(caller, { scopes: ['import', 'transcribe'] })
  const mine = await imported(own)
  for (const path of [`/jobs/${foreign}`, `/import/status?id=${foreign}`, `/jobs/${foreign}/events`]) {
    expect((await own.get(path)).status).toBe(404)
  }
  expect((await own.delete(`/jobs/${foreign}`)).status).toBe(404)
  const transcribed = await own.post('/transcribe', { importId: foreign, provider: 'builtin' })
  expect([transcribed.status, transcribed.body.code]).toEqual([404, 'JOB_NOT_FOUND'])
  expect((await own.get(`/jobs/${mine}`)).body.data.keyId).toBe(own.keyId)

  // Lists have them as they are live, and when they have ended and are in D1.
  const listed = async (key: Caller, query = '') =>
    (await key.get(`/jobs${query}`)).body.data.jobs.map(({ jobId }: { jobId: string }) => jobId)
  await eventually(async () => expect(await recordedJobs(caller.accountId)).toHaveLength(2))
  for (const query of ['', '?q=film', '?status=completed', '?after=2000-01-01T00:00:00Z']) {
    expect(await listed(own, query)).toEqual([mine])
    expect(await listed(caller, query)).toEqual([mine, foreign])
  }
  expect((await own.get('/jobs')).body.data.jobs[0].keyId).toBe(own.keyId)

  // Live ones may be canceled, and what has ended is removed by managing keys only.
  const live = (await own.post('/import', { url: FILM })).body.data.jobId
  const kept = await own.delete(`/jobs/${mine}`)
  expect([kept.status, kept.body.scope]).toEqual([403, 'manage'])
  expect((await own.delete(`/jobs/${live}`)).body.data.code).toBe('CANCELED')

  // Neither a reuse nor an Idempotency-Key answers with a job of another key.
  const again = await own.post('/import', { url: FILM, reuseWithinSeconds: 3_600 })
  expect(again.body.data.reused).toBeUndefined()
  const idempotent = { 'idempotency-key': 'one' }
  const first = await caller.post('/import', { url: FILM }, idempotent)
  const second = await own.post('/import', { url: FILM }, idempotent)
  expect(second.status).toBe(429)
  await own.delete(`/jobs/${again.body.data.jobId}`)
  const third = await own.post('/import', { url: FILM }, idempotent)
  expect(third.status).toBe(202)
  expect(third.body.data.jobId).not.toBe(first.body.data.jobId)
  expect((await own.post('/import', { url: FILM }, idempotent)).body.data.jobId).toBe(third.body.data.jobId)

  const upload = (await caller.post('/uploads', { filename: 'a.mp4', sizeBytes: 10 })).body.data
  expect((await own.get(`/uploads/${upload.uploadId}`)).status).toBe(404)
  expect((await own.delete(`/uploads/${upload.uploadId}`)).status).toBe(404)
  const ownUpload = (await own.post('/uploads', { filename: 'a.mp4', sizeBytes: 10 })).body.data
  expect((await own.get(`/uploads/${ownUpload.uploadId}`)).status).toBe(200)
  expect((await own.delete(`/uploads/${ownUpload.uploadId}`)).status).toBe(200)
})

test('a key that sees the jobs of others stops them only with manage', async () => {
  const caller = await newCaller()
  const { jobId } = (await caller.post('/import', { url: FILM })).body.data
  const reader = await withKey(caller, { scopes: ['read', 'import'] })
  const kept = await reader.delete(`/jobs/${jobId}`)
  expect([kept.status, kept.body.scope]).toEqual([403, 'manage'])
  const manager = await withKey(caller, { scopes: ['read', 'manage'] })
  expect((await manager.delete(`/jobs/${jobId}`)).body.data.code).toBe('CANCELED')
})

test('batches of another key do not exist for a key without read', async () => {
  const caller = await newCaller()
  const foreign = await startedBatch(caller)
  const own = await withKey(caller, { scopes: ['import'] })
  const mine = await startedBatch(own)
  for (const path of [`/batches/${foreign}`, `/batches/${foreign}/items`])
    expect((await own.get(path)).status).toBe(404)
  expect((await own.delete(`/batches/${foreign}`)).status).toBe(404)
  expect((await own.post(`/batches/${foreign}/retry`, undefined)).status).toBe(404)
  expect((await own.get('/batches')).body.data.batches.map((batch: { batchId: string }) => batch.batchId)).toEqual([
    mine,
  ])
  expect((await caller.get('/batches')).body.data.batches).toHaveLength(2)
  const reader = await withKey(caller, { scopes: ['read'] })
  const refused = await reader.delete(`/batches/${foreign}`)
  expect([refused.status, refused.body.code]).toEqual([403, 'SCOPE_MISSING'])
  // It had the slot.
  await caller.delete(`/batches/${foreign}`)
  await takeTurn(own, mine, 0)
  const { items } = (await own.get(`/batches/${mine}/items`)).body.data
  expect((await own.get(`/jobs/${items[0].jobId}`)).body.data.keyId).toBe(own.keyId)
  expect((await own.delete(`/batches/${mine}`)).body.data.status).toBe('canceled')
})

test('the budget of a key counts charges and open holds, and is full again in the next month', async () => {
  const caller = await newCaller()
  const spender = await withKey(caller, { dollarsPerMonth: 0.03 })
  await imported(spender)
  const open = (await spender.post('/import', { url: FILM, clip: { start: 1 } })).body.data.jobId
  const of = async () => (await keysOf(caller)).find(({ keyId }: { keyId: string }) => keyId === spender.keyId)
  expect(await of()).toMatchObject({ spentThisMonthDollars: 0.01, heldDollars: 0.01 })
  // One more would fit, and this one is larger.
  const refused = await spender.post('/import', { url: FILM })
  expect([refused.status, refused.body]).toMatchObject([
    402,
    {
      code: 'KEY_BUDGET_EXCEEDED',
      requiredDollars: 0.153421,
      availableDollars: 0.01,
      resetsAt: expect.stringMatching(/-01T00:00:00.000Z$/),
    },
  ])
  // Other keys of the account are not limited by it.
  expect((await caller.post('/import', { url: FILM })).status).toBe(202)
  await ended(spender, open)
  expect(await of()).toMatchObject({ spentThisMonthDollars: 0.02, heldDollars: 0 })
  await evictDurableObject(caller.account)
  expect(await of()).toMatchObject({ spentThisMonthDollars: 0.02 })
  const { entries } = (await caller.get('/account/ledger')).body.data
  const charges = entries.filter(({ kind }: { kind: string }) => kind === 'charge')
  expect(charges.map(({ keyId }: { keyId: string }) => keyId)).toEqual([spender.keyId, spender.keyId])
  const reset = Date.parse(refused.body.resetsAt)
  skip(reset - Date.now() + 1)
  expect(await of()).toMatchObject({ spentThisMonthDollars: 0, heldDollars: 0 })
})

test('of twenty starts at once, a budget for three admits three', async () => {
  const caller = await newCaller()
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { limits: { concurrentJobs: { import: 30 } } })
  const spender = await withKey(caller, { dollarsPerMonth: 0.03 })
  const starts = await Promise.all(
    Array.from({ length: 20 }, () => spender.post('/import', { url: FILM, clip: { start: 1 } })),
  )
  const codes = starts.map(({ status, body }) => (status === 202 ? 202 : body.code)).sort()
  expect(codes).toEqual([...Array(3).fill(202), ...Array(17).fill('KEY_BUDGET_EXCEEDED')])
})

test('a key that is removed while it starts jobs starts none after its removal was answered', async () => {
  const caller = await newCaller()
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { limits: { concurrentJobs: { import: 50 } } })
  const key = await withKey(caller)
  const early = Array.from({ length: 10 }, () => key.post('/import', { url: FILM }))
  const removed = await send('DELETE', `/keys/${key.keyId}`, { key: caller.apiKey })
  expect(removed.status).toBe(204)
  const late = await Promise.all(Array.from({ length: 5 }, () => key.post('/import', { url: FILM })))
  expect(late.map(({ status }) => status)).toEqual(Array(5).fill(401))
  const accepted = (await Promise.all(early)).filter(({ status }) => status === 202)
  // Those that were accepted go on, and say who has started them.
  for (const { body } of accepted) {
    expect((await caller.get(`/jobs/${body.data.jobId}`)).body.data).toMatchObject({
      status: 'queued',
      keyId: key.keyId,
    })
  }
})

test('a job whose hold would grow past the budget of its key fails for free', async () => {
  const caller = await newCaller()
  const spender = await withKey(caller, { dollarsPerMonth: 0.05 })
  const jobId = (await spender.post('/import', { url: FILM, clip: { start: 1 } })).body.data.jobId
  const lease = await claimed(spender, jobId)
  const report = { stage: 'downloading', percent: null, downloadedBytes: 0, bytesPerSecond: null } as const
  const grown = await caller.account.reportProgress(lease, { ...report, totalBytes: 5 * MB })
  expect(grown).toMatchObject({ verdict: 'continue', agreedBytes: 5 * MB })
  expect((await caller.account.reportProgress(lease, { ...report, totalBytes: 5 * MB + 1 })).verdict).toBe('stop')
  expect((await spender.get(`/jobs/${jobId}`)).body.data).toMatchObject({
    status: 'failed',
    code: 'KEY_BUDGET_EXCEEDED',
  })
  expect((await caller.get('/account')).body.data).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('a key that has expired is refused, and its jobs go on', async () => {
  const caller = await newCaller()
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  const brief = await withKey(caller, { expiresAt })
  const jobId = (await brief.post('/import', { url: FILM })).body.data.jobId
  skip(60_001)
  expect((await brief.get('/account')).status).toBe(401)
  expect(await keysOf(caller)).toHaveLength(1)
  await ended(caller, jobId)
  expect((await caller.get(`/jobs/${jobId}`)).body.data).toMatchObject({ status: 'completed', keyId: brief.keyId })
})

test('keys are made, listed, changed and removed by full keys only', async () => {
  const caller = await newCaller()
  const limits = {
    scopes: { scopes: ['read', 'import', 'transcribe'] },
    budget: { dollarsPerMonth: 100 },
    expiry: { expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
    origins: { allowedOrigins: ['https://app.example'] },
    'manage alone': { scopes: ['manage'] },
  }
  for (const [limit, terms] of Object.entries(limits)) {
    const limited = await withKey(caller, terms)
    for (const answer of [
      await limited.post('/keys', { name: 'x', ...terms }),
      await limited.get('/keys'),
      await patch(limited, limited.keyId, { name: 'x' }),
      await patch(limited, caller.keyId, { dollarsPerMonth: 0 }),
      await limited.delete(`/keys/${caller.keyId}`),
      await limited.delete(`/keys/${limited.keyId}`),
    ]) {
      expect([limit, answer.status, answer.body.code]).toEqual([limit, 403, 'SCOPE_MISSING'])
      expect(answer.body.error).toMatch(/needs a full key: one with all scopes, and without a budget/)
    }
  }
  // A key that is full again manages them again.
  const key = await withKey(caller, { dollarsPerMonth: 1 })
  await patch(caller, key.keyId, { dollarsPerMonth: null })
  expect((await key.get('/keys')).status).toBe(200)
})

test('a key with manage alone removes what has ended, of any key, and sees nothing else', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  nextMillisecond()
  const live = (await caller.post('/import', { url: FILM })).body.data.jobId
  const { uploadId } = (await caller.post('/uploads', { filename: 'a.mp4', sizeBytes: 10 })).body.data
  const manager = await withKey(caller, { scopes: ['manage'] })
  const removed = await manager.delete(`/jobs/${jobId}`)
  expect([removed.status, removed.body.data]).toMatchObject([200, { jobId, status: 'completed' }])
  expect((await caller.get('/jobs')).body.data.jobs).toMatchObject([
    { jobId: live, status: 'queued' },
    { jobId, removedAt: expect.stringMatching(/Z$/) },
  ])
  expect((await manager.delete(`/jobs/${live}`)).body.code).toBe('JOB_NOT_FOUND')
  expect((await manager.delete(`/jobs/${jobId}?cancelOnly=1`)).body.code).toBe('JOB_NOT_FOUND')
  expect((await manager.get(`/jobs/${jobId}`)).status).toBe(403)
  expect((await manager.delete(`/uploads/${uploadId}`)).body.data.status).toBe('removed')
  expect((await caller.get(`/uploads/${uploadId}`)).status).toBe(410)
})

test.each([
  ['the items that a budget does not cover are skipped', false],
  ['what a removed key has started goes on under its budget, however many keys come and go', true],
])('%s', async (_, isRemoved) => {
  const caller = await newCaller()
  const spender = await withKey(caller, { dollarsPerMonth: 0.2 })
  const batchId = await startedBatch(spender)
  if (isRemoved) {
    await caller.delete(`/keys/${spender.keyId}`)
    for (let count = 0; count < 3; count++) await caller.delete(`/keys/${(await withKey(caller)).keyId}`)
    await evictDurableObject(caller.account)
  }
  const reader = isRemoved ? caller : spender
  const itemsOf = async () => (await reader.get(`/batches/${batchId}/items`)).body.data.items
  await takeTurn(caller, batchId, 0)
  const [{ jobId }] = await itemsOf()
  await takeTurn(caller, batchId, 1)
  await ended(caller, jobId, 15 * MB)
  expect(await itemsOf()).toMatchObject([
    { status: 'completed', code: null },
    { status: 'skipped', code: 'KEY_BUDGET_EXCEEDED' },
    { status: 'skipped', code: 'KEY_BUDGET_EXCEEDED' },
  ])
})

test('the last full key can neither be removed nor limited', async () => {
  const caller = await newCaller()
  const manager = await withKey(caller, { scopes: ['read', 'manage'] })
  for (const answer of [
    await caller.delete(`/keys/${caller.keyId}`),
    await patch(caller, caller.keyId, { scopes: ['read', 'import'] }),
    await patch(caller, caller.keyId, { dollarsPerMonth: 1_000 }),
    await patch(caller, caller.keyId, { expiresAt: '2099-01-01T00:00:00Z' }),
    await patch(caller, caller.keyId, { allowedOrigins: ['https://app.example'] }),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([409, 'LAST_KEY'])
  }
  expect((await patch(caller, caller.keyId, { name: 'mine' })).status).toBe(200)
  expect((await caller.delete(`/keys/${manager.keyId}`)).status).toBe(204)
  const other = await withKey(caller)
  expect((await caller.delete(`/keys/${caller.keyId}`)).status).toBe(204)
  expect((await other.get('/keys')).body.data.keys).toHaveLength(1)
})

test('an account has fifty keys at most, with those of operators and those that were removed and have open jobs', async () => {
  const caller = await newCaller()
  const { keyId } = (await asOperator('POST', `/admin/accounts/${caller.accountId}/keys`)).body.data
  const busy = await withKey(caller, { scopes: ['import'] })
  const jobId = (await busy.post('/import', { url: FILM })).body.data.jobId
  await caller.delete(`/keys/${busy.keyId}`)
  const create = async () => (await caller.post('/keys', { name: 'one of many', scopes: ['read'] })).body
  for (let count = 3; count < 50; count++) expect((await create()).success).toBe(true)
  expect(await create()).toMatchObject({ code: 'TOO_MANY_KEYS', limit: 50 })
  expect(await keysOf(caller)).toHaveLength(49)
  await ended(caller, jobId)
  await eventually(async () => expect((await create()).success).toBe(true))
  expect(await create()).toMatchObject({ code: 'TOO_MANY_KEYS' })
  await caller.delete(`/keys/${keyId}`)
  expect((await create()).success).toBe(true)
  expect(await rowsOf(caller.account, 'keys')).toHaveLength(50)
})

test('a request of another account does not see or change a key', async () => {
  const caller = await newCaller()
  const stranger = await newCaller()
  const key = await withKey(caller)
  expect((await patch(stranger, key.keyId, { name: 'mine' })).status).toBe(404)
  expect((await stranger.delete(`/keys/${key.keyId}`)).status).toBe(404)
  expect((await callApi('GET', '/keys')).status).toBe(401)
})

test('where everything is free, a budget of nothing stops nothing', async () => {
  const caller = await newCaller(0)
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { prices: 'free' })
  const key = await withKey(caller, { dollarsPerMonth: 0 })
  expect((await key.post('/import', { url: FILM })).status).toBe(202)
})
