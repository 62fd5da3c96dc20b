import { expect, test } from 'vitest'
import { FILM_BYTES, filmCost } from '../origin-facts.ts'
import { claimed, completed, FILM, newCaller, started } from './caller.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

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

test('a status is queued, then running with progress, then completed with the result, and says when', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const read = async () => (await caller.get(`/import/status?id=${jobId}`)).body
  expect(await read()).toEqual({
    success: true,
    data: { jobId, status: 'queued', startedAt: null, completedAt: null },
  })

  const lease = await claimed(caller, jobId)
  await caller.account.progress(lease, {
    stage: 'downloading',
    percent: 40,
    downloadedBytes: 4_000_000,
    totalBytes: FILM_BYTES,
    bytesPerSecond: 1_000_000,
  })
  expect((await read()).data).toEqual({
    jobId,
    status: 'running',
    startedAt: expect.stringMatching(ISO),
    completedAt: null,
    progress: {
      stage: 'downloading',
      percent: 40,
      downloadedBytes: 4_000_000,
      totalBytes: FILM_BYTES,
      bytesPerSecond: 1_000_000,
      etaSeconds: 12,
    },
  })
})

test('a completed import says all that there is to say of its file', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller, { bytes: new Uint8Array(15_342) })
  const { data } = (await caller.get(`/import/status?id=${jobId}`)).body
  expect(data).toMatchObject({
    jobId,
    status: 'completed',
    startedAt: expect.stringMatching(ISO),
    completedAt: expect.stringMatching(ISO),
  })
  expect(data.result).toEqual({
    mediaUrl: expect.stringMatching(
      new RegExp(`^https://haul\\.test/media/${jobId}/film\\.mp4\\?expires=\\d+&signature=`),
    ),
    title: 'film',
    duration: 6,
    thumbnailUrl: expect.stringMatching(new RegExp(`^https://haul\\.test/media/${jobId}/thumbnail\\.jpg\\?expires=`)),
    costInDollars: 0.000154,
    fileSizeBytes: 15_342,
    downloadedBytes: 15_342,
    filename: 'film.mp4',
    contentType: 'video/mp4',
    sha256: '0'.repeat(64),
    width: 640,
    height: 360,
    videoCodec: 'h264',
    audioCodec: 'aac',
    expiresAt: expect.stringMatching(ISO),
  })
  const kept = Date.parse(data.result.expiresAt) - Date.parse(data.completedAt)
  expect(kept).toBe(7 * 24 * 3_600_000)
})

test('a failed import is a success of the request, and says why, for a person and for a program', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const lease = await claimed(caller, jobId)
  await caller.account.failStep(lease, { code: 'SOURCE_PRIVATE', message: 'The media is private.', retryable: false })
  const { status, body } = await caller.get(`/import/status?id=${jobId}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    data: {
      jobId,
      status: 'failed',
      startedAt: null,
      completedAt: expect.stringMatching(ISO),
      message: 'The media is private.',
      code: 'SOURCE_PRIVATE',
      retryable: false,
    },
  })
  expect((await caller.get('/account')).body.data).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test.each([
  ['no body', ''],
  ['half of a body', '{"url":'],
  ['no JSON', 'url=https://media.example/'],
])('%s is INVALID_JSON', async (_, body) => {
  const { status, body: answered } = await (await newCaller()).post('/import', body)
  expect([status, answered.code]).toEqual([400, 'INVALID_JSON'])
})

const invalid: [string, unknown, string][] = [
  ['a body that is null', null, ''],
  ['a body that is a list', [], ''],
  ['no url', {}, 'url'],
  ['a url that is a number', { url: 7 }, 'url'],
  ['an empty url', { url: '' }, 'url'],
  ['a url that is none', { url: 'media.example/film.mp4' }, 'url'],
  ['a url without slashes', { url: 'https:media.example' }, 'url'],
  ['a url with too many slashes', { url: 'https:///media.example' }, 'url'],
  ['a url with backslashes', { url: 'https:\\\\media.example' }, 'url'],
  ['a url with a newline inside', { url: 'https://media.exa\nmple/' }, 'url'],
  ['a url without a host', { url: 'https://' }, 'url'],
  ['ftp:', { url: 'ftp://media.example/film.mp4' }, 'url'],
  ['file:', { url: 'file:///etc/passwd' }, 'url'],
  ['data:', { url: 'data:video/mp4;base64,AAAA' }, 'url'],
  ['javascript:', { url: 'javascript:alert(1)' }, 'url'],
  ['a url that is too long', { url: `${FILM}?${'x'.repeat(4_096)}` }, 'url'],
  ['a url with a user', { url: 'https://me@media.example/' }, 'url'],
  ['a url with a password', { url: 'https://me:secret@media.example/' }, 'url'],
  ['a typo', { url: FILM, storeagePath: 'films' }, 'storeagePath'],
  ['a field of another endpoint', { url: FILM, provider: 'builtin' }, 'provider'],
  ['a field of all objects', '{"url":"https://media.example/","__proto__":{"store":true}}', '__proto__'],
  ['both includes false', { url: FILM, includeVideo: false, includeAudio: false }, 'includeAudio'],
  ['a boolean as text', { url: FILM, includeVideo: 'false' }, 'includeVideo'],
  ['null for a boolean', { url: FILM, store: null }, 'store'],
  ['an unknown videoQuality', { url: FILM, videoQuality: '1081p' }, 'videoQuality'],
  ['an unknown audioQuality', { url: FILM, audioQuality: 'loud' }, 'audioQuality'],
  ['an unknown storageClass', { url: FILM, storageClass: 'COLD' }, 'storageClass'],
  ['a path that leaves its place', { url: FILM, storagePath: '../other' }, 'storagePath'],
  ['a file name with a slash', { url: FILM, storageFilename: 'a/b' }, 'storageFilename'],
  ['a bucket with an illegal name', { url: FILM, storageBucket: 'My Bucket' }, 'storageBucket'],
  ['a webhookUrl that is none', { url: FILM, webhookUrl: 'receiver' }, 'webhookUrl'],
  ['a webhookUrl that is private', { url: FILM, webhookUrl: 'http://10.0.0.1/hook' }, 'webhookUrl'],
  [
    'a webhookUrl that resolves to a private address',
    { url: FILM, webhookUrl: 'https://inside.example/' },
    'webhookUrl',
  ],
]

test.each(invalid)('%s is INVALID_REQUEST and the detail names the place', async (_, body, path) => {
  const caller = await newCaller()
  const { status, body: answered } = await caller.post('/import', body === null ? 'null' : body)
  expect([status, answered.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(answered.details).toContainEqual({ path, message: expect.stringMatching(/\w/) })
  expect((await caller.get('/jobs')).body.data.jobs).toEqual([])
})

test('every mistake of a body is told at once', async () => {
  const { body } = await (await newCaller()).post('/import', { url: 'x', store: 1, storeagePath: 'films' })
  expect(body.details.map(({ path }: { path: string }) => path).sort()).toEqual(['store', 'storeagePath', 'url'])
})

test('space around a url, as pasting leaves it, is no mistake', async () => {
  const caller = await newCaller()
  const jobId = await started(caller, { url: ` ${FILM}\n` })
  expect((await caller.get(`/jobs/${jobId}`)).body.data.url).toBe(FILM)
})

test('64 KiB is the most that a body may have, whether its length was announced or not', async () => {
  const caller = await newCaller()
  const least = JSON.stringify({ url: FILM, x: '' }).length
  const sized = (bytes: number) => JSON.stringify({ url: FILM, x: 'x'.repeat(bytes - least) })
  expect((await caller.post('/import', sized(65_536))).body.code).toBe('INVALID_REQUEST')
  const { status, body } = await caller.post('/import', sized(65_537))
  expect([status, body.code]).toEqual([413, 'BODY_TOO_LARGE'])
})

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json ;',
  'application/vnd.x-1+json',
])('a body may come as %s', async (contentType) => {
  const { status } = await (await newCaller()).post('/import', { url: FILM }, { 'content-type': contentType })
  expect(status).toBe(202)
})

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'text/json',
])('a body that comes as %s is refused', async (contentType) => {
  const { status, body } = await (await newCaller()).post('/import', { url: FILM }, { 'content-type': contentType })
  expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
})

const gzipped = new Response(
  new Response(JSON.stringify({ url: FILM })).body?.pipeThrough(new CompressionStream('gzip')),
).bytes()

test.each(['gzip', 'br', 'GZIP', 'identity, gzip', 'aes128gcm'])(
  'a body in %s is refused, and the sentence says why',
  async (encoding) => {
    const caller = await newCaller()
    const headers = { 'content-encoding': encoding }
    for (const sent of [await gzipped, { url: FILM }]) {
      const { status, headers: told, body } = await caller.post('/import', sent, headers)
      expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
      expect([body.error, told.get('accept-encoding')]).toEqual([
        'Send the body as it is, without Content-Encoding.',
        'identity',
      ])
    }
    expect((await caller.post('/import', 'x', headers)).headers.get('x-ratelimit-remaining')).toBe('237')
  },
)

test.each(['identity', 'Identity', ''])('a body whose encoding is "%s" is plain', async (encoding) => {
  const { status } = await (await newCaller()).post('/import', { url: FILM }, { 'content-encoding': encoding })
  expect(status).toBe(202)
})

test("another account's job, a job of another type and no job at all are not found alike", async () => {
  const [owner, other] = [await newCaller(), await newCaller()]
  const imported = await started(owner)
  const { body } = await owner.post('/transcribe', { url: FILM })
  const transcribed = body.data.jobId
  for (const [who, id] of [
    [other, imported],
    [owner, transcribed],
    [owner, 'imp_01m7y00000000000000000000'],
    [owner, "x' OR 1=1 --"],
    [owner, 'x'.repeat(1_000)],
  ] as const) {
    const answered = await who.get(`/import/status?id=${encodeURIComponent(id)}`)
    expect([answered.status, answered.body.code]).toEqual([404, 'JOB_NOT_FOUND'])
  }
})

test.each(['', '?id=', '?id=x&wait=31', '?id=x&wait=-1', '?id=x&wait=soon'])(
  'a status of "%s" is refused',
  async (query) => {
    const { status, body } = await (await newCaller()).get(`/import/status${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  },
)

test('a status that waits is answered as soon as the job ends', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const lease = await claimed(caller, jobId)
  const waiting = caller.get(`/import/status?id=${jobId}&wait=30`)
  await caller.account.failStep(lease, { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true })
  const since = Date.now()
  expect((await waiting).body.data).toMatchObject({ status: 'failed', code: 'SOURCE_BLOCKED' })
  expect(Date.now() - since).toBeLessThan(5_000)
})

test('a status that waited in vain says how the job stands, and counts once', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const { body, headers } = await caller.get(`/import/status?id=${jobId}&wait=1`)
  expect(body.data.status).toBe('queued')
  expect(headers.get('x-ratelimit-remaining')).toBe('3599')
})
