import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { uploadKey } from '../../../../domain/media/media-keys.ts'
import { asOperator, callApi, namesIn, newCaller } from '../../support/caller.ts'
import { eventually, runAlarm, skip } from '../../support/clock.ts'
import { complete, keyIn, multipartIn, ready, sendAll, sendPart, started, transcribe } from '../../support/uploads.ts'

const HOUR_MS = 3_600_000
const MiB = 1024 * 1024

describe('an upload', () => {
  test('has a URL for each part, for its own object and exactly its length, and is ready when all parts are there', async () => {
    const caller = await newCaller()
    const { status, body } = await caller.post('/uploads', { filename: 'My talk.mp3', sizeBytes: 8 * MiB + 5 })
    expect([status, body.data]).toEqual([
      201,
      {
        uploadId: expect.stringMatching(/^upl_/),
        status: 'pending',
        filename: 'My talk.mp3',
        sizeBytes: 8 * MiB + 5,
        partSizeBytes: 8 * MiB,
        parts: [
          { number: 1, sizeBytes: 8 * MiB, url: expect.any(String) },
          { number: 2, sizeBytes: 5, url: expect.any(String) },
        ],
        expiresAt: expect.any(String),
      },
    ])
    const upload = body.data
    const url = new URL(upload.parts[1].url)
    expect(url.origin + url.pathname).toMatch(
      new RegExp(`^https://s3.test/haul-media/uploads/${upload.uploadId}/[\\w-]{22}/1$`),
    )
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host')
    expect(Number(url.searchParams.get('X-Amz-Expires'))).toBe((24 * HOUR_MS) / 1_000)
    const completed = await complete(caller, upload, (await sendAll(upload)).toReversed())
    const facts = { uploadId: upload.uploadId, filename: 'My talk.mp3', sizeBytes: 8 * MiB + 5 }
    const readyUpload = { ...facts, status: 'ready', contentType: 'audio/mpeg', duration: 61.5 }
    expect([completed.status, completed.body.data]).toEqual([200, { ...readyUpload, expiresAt: expect.any(String) }])
    const read = await caller.get(`/uploads/${upload.uploadId}`)
    expect(read.body.data).toEqual(completed.body.data)
  })

  test('that is completed twice, one after the other and at once, answers the same', async () => {
    const caller = await newCaller()
    const upload = await started(caller)
    const parts = await sendAll(upload)
    const answers = await Promise.all([1, 2, 3].map(() => complete(caller, upload, parts)))
    answers.push(await complete(caller, upload, parts), await complete(caller, upload, []))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1)
  })

  test('that was cut off goes on: the parts that were sent stay, and one that is sent again replaces the first', async () => {
    const caller = await newCaller()
    const upload = await started(caller, 8 * MiB + 5)
    const [first, second] = upload.parts
    if (!first || !second) throw new Error('two parts')
    const last = await sendPart(second)
    const refused = await complete(caller, upload, [last])
    expect([refused.status, refused.body.code, refused.body.error]).toEqual([
      422,
      'UPLOAD_INCOMPLETE',
      'Part 1 is missing.',
    ])
    const again = (await caller.get(`/uploads/${upload.uploadId}`)).body.data
    expect(again.status).toBe('pending')
    const earlier = await sendPart(again.parts[0])
    const later = await sendPart(again.parts[0])
    const wrong = await complete(caller, upload, [earlier, last])
    expect(wrong.body.code).toBe(earlier.etag === later.etag ? undefined : 'UPLOAD_INCOMPLETE')
    expect((await complete(caller, upload, [later, last])).status).toBe(200)
  })

  test('with another ETag is incomplete, and its parts stay', async () => {
    const caller = await newCaller()
    const upload = await started(caller)
    const sent = await sendAll(upload)
    const { status, body } = await complete(caller, upload, [{ number: 1, etag: 'of-another-part' }])
    expect([status, body.code]).toEqual([422, 'UPLOAD_INCOMPLETE'])
    expect((await complete(caller, upload, sent)).status).toBe(200)
  })

  test('whose multipart upload is gone from storage gets another one', async () => {
    const caller = await newCaller()
    const upload = await started(caller)
    const sent = await sendAll(upload)
    await multipartIn(upload.parts[0]?.url ?? '').abort()
    expect((await complete(caller, upload, sent)).body.code).toBe('UPLOAD_INCOMPLETE')
    const { body } = await caller.get(`/uploads/${upload.uploadId}`)
    expect((await complete(caller, body.data, await sendAll(body.data))).status).toBe(200)
  })

  test('that is not media is refused, its file is deleted, and it waits for other parts', async () => {
    const caller = await newCaller()
    const upload = await started(caller, 13)
    const { status, body } = await complete(caller, upload, await sendAll(upload))
    expect([status, body.code]).toEqual([422, 'SOURCE_UNSUPPORTED'])
    await eventually(async () => expect(await env.MEDIA.head(keyIn(upload.parts[0]?.url ?? ''))).toBeNull())
    const again = (await caller.get(`/uploads/${upload.uploadId}`)).body.data
    const secondAttempt = keyIn(upload.parts[0]?.url ?? '').replace(/1$/, '2')
    expect([again.status, keyIn(again.parts[0].url)]).toEqual(['pending', secondAttempt])
    await sendAll(again)
  })

  test.each([
    ['cannot be read', 17],
    ['has to wait for a place', 19],
  ])('whose file %s is not refused: the same request may succeed', async (_, sizeBytes) => {
    const caller = await newCaller()
    const upload = await started(caller, sizeBytes)
    const parts = await sendAll(upload)
    for (let times = 0; times < 2; times++) {
      const { status, headers, body } = await complete(caller, upload, parts)
      expect([status, headers.get('retry-after'), body.code]).toEqual([503, '5', 'SERVICE_BUSY'])
    }
    expect(await env.MEDIA.head(keyIn(upload.parts[0]?.url ?? ''))).not.toBeNull()
  })

  test('of more than 10 GB is a 413', async () => {
    const caller = await newCaller()
    const { status, body } = await caller.post('/uploads', { filename: 'a.mp4', sizeBytes: 10_000_000_001 })
    expect([status, body.code, body.limit]).toEqual([413, 'BODY_TOO_LARGE', 10_000_000_000])
    expect((await caller.post('/uploads', { filename: 'a.mp4', sizeBytes: 10_000_000_000 })).status).toBe(201)
  })

  test.each([
    ['no name', { sizeBytes: 1 }],
    ['no size', { filename: 'a' }],
    ['no bytes', { filename: 'a', sizeBytes: 0 }],
    ['half a byte', { filename: 'a', sizeBytes: 0.5 }],
    ['an unknown field', { filename: 'a', sizeBytes: 1, url: 'x' }],
  ])('with %s is a 400', async (_, request) => {
    const { status, body } = await (await newCaller()).post('/uploads', request)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  })

  test('is one of at most 20 that are pending, until one is completed, deleted or expires', async () => {
    const caller = await newCaller()
    const uploads = []
    for (let count = 0; count < 20; count++) uploads.push(await started(caller))
    const refused = await caller.post('/uploads', { filename: 'a', sizeBytes: 1 })
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'CONCURRENCY_LIMITED',
      '60',
    ])
    const [first, second] = uploads
    if (!first || !second) throw new Error('twenty uploads')
    await complete(caller, first, await sendAll(first))
    await started(caller)
    await caller.delete(`/uploads/${second.uploadId}`)
    await started(caller)
    expect((await caller.post('/uploads', { filename: 'a', sizeBytes: 1 })).status).toBe(429)
    skip(24 * HOUR_MS)
    await started(caller)
  })
})

describe('what becomes of an upload', () => {
  test('a pending one expires after a day, with what was sent of it', async () => {
    const caller = await newCaller()
    const upload = await started(caller)
    await sendAll(upload)
    skip(24 * HOUR_MS)
    const { status, body } = await caller.get(`/uploads/${upload.uploadId}`)
    expect([status, body.code]).toEqual([410, 'MEDIA_EXPIRED'])
    await runAlarm(caller.account)
    const isAborted = () => multipartIn(upload.parts[0]?.url ?? '').uploadPart(1, 'x')
    await eventually(async () => expect(await isAborted().catch((cause) => `${cause}`)).toMatch(/does not exist/))
  })

  test('a ready one lives for a day, is a 410 then, and is forgotten after another week', async () => {
    const caller = await newCaller()
    const uploadId = await ready(caller)
    const key = uploadKey(uploadId, await namesIn(uploadId))
    expect(await env.MEDIA.head(key)).not.toBeNull()
    skip(23 * HOUR_MS)
    await runAlarm(caller.account)
    expect((await caller.get(`/uploads/${uploadId}`)).body.data.status).toBe('ready')
    skip(HOUR_MS)
    expect((await transcribe(caller, { uploadId })).body.code).toBe('MEDIA_EXPIRED')
    await runAlarm(caller.account)
    await eventually(async () => expect(await env.MEDIA.head(key)).toBeNull())
    expect((await caller.get(`/uploads/${uploadId}`)).status).toBe(410)
    skip(7 * 24 * HOUR_MS)
    expect((await caller.get(`/uploads/${uploadId}`)).status).toBe(404)
    await runAlarm(caller.account)
    expect((await transcribe(caller, { uploadId })).status).toBe(404)
  })

  test('a deleted one is gone at once, and deleting it again changes nothing', async () => {
    const caller = await newCaller()
    const uploadId = await ready(caller)
    const names = await namesIn(uploadId)
    for (let times = 0; times < 2; times++) {
      const { status, body } = await caller.delete(`/uploads/${uploadId}`)
      expect([status, body.data]).toEqual([
        200,
        { uploadId, status: 'removed', filename: 'talk.mp3', sizeBytes: 1_000 },
      ])
    }
    await eventually(async () => expect(await env.MEDIA.head(uploadKey(uploadId, names))).toBeNull())
    expect((await caller.post(`/uploads/${uploadId}/complete`, { parts: [] })).status).toBe(410)
  })
})

describe('kept out of an upload', () => {
  test('another account, which finds none with this id', async () => {
    const [owner, stranger] = [await newCaller(), await newCaller()]
    const upload = await started(owner)
    const parts = await sendAll(upload)
    const path = `/uploads/${upload.uploadId}`
    const answers = [
      await stranger.get(path),
      await stranger.delete(path),
      await complete(stranger, upload, parts),
      await transcribe(stranger, { uploadId: upload.uploadId }),
      await stranger.get('/uploads/upl_nonsense'),
    ]
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [404, 'NOT_FOUND']))
    expect((await complete(owner, upload, parts)).status).toBe(200)
  })

  test('callers without a key', async () => {
    const answers = [
      await callApi('POST', '/uploads', { body: { filename: 'a', sizeBytes: 1 } }),
      await callApi('GET', '/uploads/upl_x'),
      await callApi('DELETE', '/uploads/upl_x'),
      await callApi('POST', '/uploads/upl_x/complete', { body: { parts: [] } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
  })

  test('a suspended account, which still reads, deletes and completes nothing new', async () => {
    const caller = await newCaller()
    const upload = await started(caller)
    const parts = await sendAll(upload)
    await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { suspended: true })
    expect((await caller.post('/uploads', { filename: 'a', sizeBytes: 1 })).body.code).toBe('ACCOUNT_SUSPENDED')
    expect((await complete(caller, upload, parts)).status).toBe(403)
    expect((await caller.get(`/uploads/${upload.uploadId}`)).status).toBe(200)
    expect((await caller.delete(`/uploads/${upload.uploadId}`)).status).toBe(200)
  })
})
