import { describe, expect, test } from 'vitest'
import { asOperator, type Caller, callApi, claimed, FILM, newCaller, send } from '../support/caller.ts'
import { skip } from '../support/clock.ts'
import { messagesOf } from '../support/event-stream.ts'

/** What limited keys use up is theirs alone: neither the account's full keys nor its key management are refused by it. */

const SCOPES = ['read', 'import', 'transcribe']

const limitedKey = async (caller: Caller, terms: object = { scopes: SCOPES }): Promise<string> => {
  const { status, body } = await caller.post('/keys', { name: 'page', ...terms })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.data.apiKey
}

const limit = (caller: Caller, limits: object) => asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { limits })

const remaining = ({ headers }: { headers: Headers }) => headers.get('x-ratelimit-remaining')

const cancelAfterFiveBytes = async (caller: Caller, jobId: string) => {
  const report = { stage: 'downloading', percent: null, totalBytes: null, bytesPerSecond: null } as const
  await caller.account.reportProgress(await claimed(caller, jobId), { ...report, downloadedBytes: 5 })
  await caller.delete(`/jobs/${jobId}`)
}

describe('requests', () => {
  test('of all limited keys count in one window, and those of full keys in another', async () => {
    const caller = await newCaller()
    await limit(caller, { requestsPerHour: { general: 3 } })
    const page = await limitedKey(caller)
    const other = await limitedKey(caller, { dollarsPerMonth: 1 })
    const models = async (key: string) => callApi('GET', '/v1/models', { key })
    expect(remaining(await models(page))).toBe('2')
    expect(remaining(await models(other))).toBe('1')
    expect(remaining(await models(page))).toBe('0')
    for (const key of [page, other]) {
      const refused = await models(key)
      expect([refused.status, refused.headers.get('x-ratelimit-limit'), remaining(refused)]).toEqual([429, '3', '0'])
    }
    const { status, headers } = await caller.get('/keys')
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '0'])
  })

  test('of a key that becomes limited count in the other window from then on', async () => {
    const caller = await newCaller()
    const { keyId, apiKey } = (await caller.post('/keys', { name: 'x' })).body.data
    const read = async () => remaining(await callApi('GET', '/account', { key: apiKey }))
    expect(await read()).toBe('3598')
    await callApi('PATCH', `/keys/${keyId}`, { key: caller.apiKey, body: { dollarsPerMonth: 1 } })
    expect(await read()).toBe('3599')
  })
})

test('pending uploads of limited keys take no place of the others, and neither do their bytes', async () => {
  const caller = await newCaller()
  await limit(caller, { uploadBytes: 100 })
  const page = await limitedKey(caller)
  const upload = (key: string, sizeBytes = 1) =>
    callApi('POST', '/uploads', { key, body: { filename: 'a.mp3', sizeBytes } })
  for (let count = 0; count < 19; count++) expect((await upload(page)).status).toBe(201)
  expect((await upload(page, 82)).body).toMatchObject({ code: 'STORAGE_LIMITED', remaining: 81 })
  expect((await upload(page)).status).toBe(201)
  expect((await upload(page)).body.code).toBe('CONCURRENCY_LIMITED')
  expect((await upload(caller.apiKey, 100)).status).toBe(201)
})

test('free work of limited keys stops neither jobs nor previews nor batches of the others', async () => {
  const caller = await newCaller()
  await limit(caller, { freeWork: { bytesPerHour: 1 } })
  const page = await limitedKey(caller)
  const preview = (key: string) => callApi('GET', `/metadata?url=${encodeURIComponent(FILM)}`, { key })
  expect((await preview(page)).status).toBe(200)
  expect((await preview(page)).body.code).toBe('FREE_WORK_LIMITED')
  const start = (key: string) => callApi('POST', '/import', { key, body: { url: FILM } })
  const { jobId } = (await start(page)).body.data
  await cancelAfterFiveBytes(caller, jobId)
  expect((await start(page)).body.code).toBe('FREE_WORK_LIMITED')
  expect((await callApi('GET', '/account', { key: page })).body.data.freeWork.bytesLeft).toBe(0)

  expect((await caller.get('/account')).body.data.freeWork.bytesLeft).toBe(1)
  expect((await preview(caller.apiKey)).status).toBe(200)
  const batch = await caller.post('/batches', { urls: [FILM], import: {} })
  expect(await caller.account.claimItem(batch.body.data.batchId, 0)).not.toBeNull()
  expect((await start(caller.apiKey)).status).toBe(202)
})

test('a batch of a limited key waits until its hour of free work is over, while one of a full key goes on', async () => {
  const caller = await newCaller()
  await limit(caller, { freeWork: { bytesPerHour: 1 } })
  const page = await limitedKey(caller)
  const start = (key: string) => callApi('POST', '/batches', { key, body: { urls: [FILM], import: {} } })
  const job = (await callApi('POST', '/import', { key: page, body: { url: FILM } })).body.data.jobId
  const waiting = (await start(page)).body.data.batchId
  const task = await caller.account.claimItem(waiting, 0)
  await cancelAfterFiveBytes(caller, job)
  const admission = { announcedBytes: 1 * 100, diskBytes: null, reuseKey: 'a key' } as Parameters<
    typeof caller.account.admitItem
  >[1]
  if (task) await caller.account.admitItem(task, admission)
  const running = (await start(caller.apiKey)).body.data.batchId
  const own = await caller.account.claimItem(running, 0)
  if (own) await caller.account.admitItem(own, admission)
  const stateOf = async (batchId: string) => (await caller.get(`/batches/${batchId}`)).body.data.counts
  expect([await stateOf(waiting), await stateOf(running)]).toMatchObject([{ waiting: 1 }, { running: 1 }])
  skip(3_600_000)
  await caller.delete(`/batches/${running}`)
  expect(await stateOf(waiting)).toMatchObject({ running: 1 })
})

test('ten open event streams of limited keys leave those of the others', async () => {
  const caller = await newCaller()
  const page = await limitedKey(caller)
  const streams = await Promise.all(Array.from({ length: 10 }, () => send('GET', '/events', { key: page })))
  expect((await callApi('GET', '/events', { key: page })).body.code).toBe('CONCURRENCY_LIMITED')
  const own = await send('GET', '/events', { key: caller.apiKey })
  expect(own.status).toBe(200)
  for (const stream of [...streams, own]) await messagesOf(stream).return(undefined)
})
