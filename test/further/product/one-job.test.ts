import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import { startVersity, type Versity } from '../../doubles/s3/versity.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'

/** One job with every result: the media, its captions, its words and what the source says, also in the caller's bucket. */
let sites: Origin
let versity: Versity
let client: AccountClient

const { settings } = inject('product').providers

const site = ownProduct(async () => {
  ;[versity, sites] = await Promise.all([startVersity(), startOrigin({ root: site.folder })])
  await versity.makeBucket('media')
  return { speech: 'scripted', env: { LEASE_MS: '10000', ...settings } }
})

beforeAll(async () => {
  client = await site.newClient()
  const { endpoint, region, accessKeyId, secretAccessKey } = versity
  const bucket = { endpoint, region, bucket: 'media', accessKeyId, secretAccessKey, pathStyle: true }
  expect((await client.request('PUT', '/storage', bucket)).status).toBe(200)
})

afterAll(() => Promise.all([sites?.close(), versity?.close()]))

let pages = 0
/** A page of a film of 560 kB with these tracks, and their queries. */
const newPage = async (tracks: Record<string, string> = {}, { title = 'A talk', film = 'faststart.mp4' } = {}) => {
  const name = `page-${++pages}.html`
  const elements = Object.entries(tracks).map(
    ([language, file]) => `<track srclang="${language}" src="${site.origin.url}/media/captions/${file}">`,
  )
  const video = `<video src="${site.origin.url}/media/${film}?page=${pages}">${elements.join('')}</video>`
  await writeFile(join(site.folder, name), `<!doctype html><title>${title}</title>${video}`)
  return `${sites.url}/media/${name}`
}

const imported = async (body: object) => client.ended(await client.start(body))

const fileOf = (result: { files: Record<string, unknown>[] }, kind: string, language?: string) =>
  result.files.find((file) => file.kind === kind && (language === undefined || file.language === language))

const clip = join(import.meta.dirname, '../../media/clips/0870.flac')
/** What the check of a URL requests. */
const FIRST_BYTES = 1_024

test('a page becomes its film, captions and a transcript, for one download and the price of captions', async () => {
  const before = await client.account()
  const url = await newPage({ en: 'en.vtt', de: 'de.vtt' })
  const asked = { captions: ['en', 'de', 'fr'], transcribe: {}, files: ['info', 'thumbnail', 'chapters'] }
  const { status, result } = await imported({ url, ...asked, formats: ['vtt', 'txt'] })
  expect(status).toBe('completed')
  expect(result.complete).toBe(true)
  const shown = result.files.map(({ kind, language, format, status }: Record<string, string>) =>
    [kind, language, format, status].filter(Boolean).join(' '),
  )
  expect(shown).toEqual([
    'media completed',
    'captions en vtt completed',
    'captions en txt completed',
    'captions de vtt completed',
    'captions de txt completed',
    'captions fr skipped',
    'transcript en vtt completed',
    'transcript en txt completed',
    'thumbnail completed',
    'info completed',
    'chapters skipped',
  ])
  const costs = result.files.map(({ costInDollars }: Record<string, number>) => costInDollars)
  expect(costs.reduce((sum: number, cost: number) => sum + cost, 0)).toBeCloseTo(result.costInDollars, 6)
  expect(result.costInDollars).toBeCloseTo(result.downloadedBytes / 1e8 + 0.01, 6)
  expect(result.downloadedBytes).toBe(result.fileSizeBytes)
  const after = await client.account()
  expect(before.balanceDollars - after.balanceDollars).toBeCloseTo(result.costInDollars, 6)
  const read = async (kind: string, language?: string) => (await fetch(`${fileOf(result, kind, language)?.url}`)).text()
  expect(await read('captions', 'de')).toContain('Ein Ton.')
  expect(JSON.parse(await read('info'))).toMatchObject({ title: 'A talk', url, extractor: 'html5', tags: [] })
})

test('a link to a file that was changed is refused, and that of removed files answers 410', async () => {
  const { jobId, result } = await imported({ url: await newPage({ en: 'en.vtt' }), captions: ['en'], files: ['info'] })
  const url = `${fileOf(result, 'captions')?.url}`
  expect((await fetch(url.replace('imp_', 'imp_0'))).status).toBe(403)
  expect((await fetch(url.replace(/account=\w+/, 'account=acct_other'))).status).toBe(403)
  expect((await fetch(url)).status).toBe(200)
  expect((await client.request('DELETE', `/jobs/${jobId}`)).status).toBe(200)
  for (const kind of ['captions', 'info']) expect((await fetch(`${fileOf(result, kind)?.url}`)).status).toBe(410)
  const transcript = await client.request('GET', `/transcribe/transcript?id=${jobId}`)
  expect(transcript).toMatchObject({ status: 410, body: { code: 'MEDIA_EXPIRED' } })
})

test('a caption track that answers 429 fails alone, and can be tried again', async () => {
  const url = await newPage({ en: 'en.vtt?status=429', de: 'de.vtt' })
  const { status, result } = await imported({ url, captions: ['en', 'de'] })
  expect(status).toBe('completed')
  expect(result.complete).toBe(false)
  const failed = { status: 'failed', code: 'SOURCE_RATE_LIMITED', retryable: true, costInDollars: 0 }
  expect(fileOf(result, 'captions', 'en')).toMatchObject(failed)
  expect(fileOf(result, 'captions', 'de')).toMatchObject({ status: 'completed' })
})

test('scripts of one language are two files, with their full tags', async () => {
  const url = await newPage({ 'zh-Hans': 'en.vtt', 'zh-Hant': 'de.vtt' })
  const { result } = await imported({ url, captions: 'all' })
  const names = result.files.map(({ filename }: Record<string, string>) => filename)
  expect(names).toEqual(['A talk.mp4', 'A talk.zh-Hans.vtt', 'A talk.zh-Hant.vtt'])
})

test('without captions, a transcript of captions only fails with a quote, and the media is charged alone', async () => {
  const { status, result } = await imported({ url: await newPage(), transcribe: {} })
  expect(status).toBe('completed')
  const quote = { estimatedMinutes: expect.any(Number), estimatedCostDollars: 0.03 }
  expect(fileOf(result, 'transcript')).toMatchObject({ code: 'TRANSCRIPTION_PROVIDER_REQUIRED', quote })
  expect(result.costInDollars).toBeCloseTo(result.downloadedBytes / 1e8, 6)
})

test('speech is recognized from the stored media, and the origin sends that once', async () => {
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-i', clip, '-c:a', 'aac', join(site.folder, 'speech.m4a')])
  const url = `${sites.url}/media/speech.m4a`
  const before = sites.sentBytes
  const { status, result } = await imported({ url, transcribe: { mode: 'auto' }, captions: ['en'] })
  expect([status, result.complete]).toEqual(['completed', true])
  const transcript = { status: 'completed', language: 'en', filename: 'speech.transcript.en.vtt', costInDollars: 0.03 }
  expect(fileOf(result, 'transcript')).toMatchObject(transcript)
  expect(result.downloadedBytes).toBe(result.fileSizeBytes)
  // Before the job, the first bytes were requested to check the URL.
  expect(sites.sentBytes - before).toBe(result.fileSizeBytes + FIRST_BYTES)
})

test('an import without these fields says nothing of files', async () => {
  const { result } = await imported({ url: await newPage({ en: 'en.vtt' }) })
  expect(result).not.toHaveProperty('files')
  expect(result).not.toHaveProperty('complete')
})

test('media without speech has no transcript, for free, and is complete', async () => {
  const { result } = await imported({ url: await newPage(), transcribe: { mode: 'speech' } })
  expect(result.complete).toBe(true)
  expect(fileOf(result, 'transcript')).toMatchObject({ status: 'skipped', code: 'NO_SPEECH', costInDollars: 0 })
})

test('media without sound has no transcript, and is complete', async () => {
  const url = await newPage({}, { film: 'video-only.mp4' })
  const { status, result } = await imported({ url, transcribe: { mode: 'auto' } })
  expect([status, result.complete]).toEqual(['completed', true])
  expect(fileOf(result, 'transcript')).toMatchObject({ status: 'skipped', code: 'NO_AUDIO', costInDollars: 0 })
})

test('a provider that rejects the key fails the transcript, for free', async () => {
  const transcribe = { provider: 'provider_a', apiKey: 'sk-wrong' }
  const { status, result } = await imported({ url: await newPage(), transcribe })
  expect([status, result.complete]).toEqual(['completed', false])
  expect(fileOf(result, 'transcript')).toMatchObject({ code: 'PROVIDER_KEY_REJECTED', costInDollars: 0 })
  expect(result.costInDollars).toBeCloseTo(result.downloadedBytes / 1e8, 6)
})

test('a ceiling that the speech would exceed keeps the media', async () => {
  const { status, result } = await imported({
    ...{ url: await newPage(), transcribe: { mode: 'speech' }, maxCostDollars: 0.02 },
  })
  expect([status, result.complete]).toEqual(['completed', false])
  const quote = { estimatedMinutes: expect.any(Number), estimatedCostDollars: 0.03 }
  expect(fileOf(result, 'transcript')).toMatchObject({ code: 'MAX_COST_EXCEEDED', retryable: false, quote })
})

test('all files are in the bucket under one name, which is a template that values cannot leave', async () => {
  const url = await newPage({ en: 'en.vtt' }, { title: '1/5 ../x' })
  const storage = { store: true, storageKey: '{uploader}/{title}.{ext}' }
  const { result } = await imported({ url, captions: ['en'], files: ['info'], ...storage })
  const keys = result.files.map(({ key }: Record<string, string>) => key)
  expect(keys).toEqual(['unknown/1_5 .._x.mp4', 'unknown/1_5 .._x.en.vtt', 'unknown/1_5 .._x.info.json'])
  expect(result.s3Storage.key).toBe(keys[0])
  expect(await (await versity.get('media', keys[1])).text()).toContain('A tone.')
  expect((await versity.get('media', keys[0])).headers.get('content-length')).toBe(`${result.fileSizeBytes}`)
})

test('a title of 300 Japanese characters has a key within the limit', async () => {
  const url = await newPage({ en: 'en.vtt' }, { title: '映'.repeat(300) })
  const storage = { store: true, storageKey: '{title}/{title}.{ext}' }
  const { status, result } = await imported({ url, captions: ['en'], ...storage })
  expect(status).toBe('completed')
  const segments = result.s3Storage.key.split('/').map((segment: string) => Buffer.byteLength(segment))
  expect(segments).toEqual([180, 184])
})

test('two items of a batch with one title become two objects, and their names are those in the bucket', async () => {
  const urls = [await newPage({}, { title: 'Twins' }), await newPage({}, { title: 'Twins' })]
  const batch = { urls, import: { store: true, files: ['info'], storageKey: 'batch/{title}.{ext}' } }
  const { batchId } = await client.post('/batches', batch)
  const isDone = async () => (await client.get<{ status: string }>(`/batches/${batchId}`)).status
  await expect.poll(isDone, { timeout: 30_000 }).toBe('completed')
  const { items } = await client.get<{ items: { jobId: string; complete: boolean }[] }>(`/batches/${batchId}/items`)
  expect(items.map(({ complete }) => complete)).toEqual([true, true])
  const keys = await Promise.all(items.map(async ({ jobId }) => (await client.read(jobId)).result.s3Storage.key))
  const [one, other] = keys.toSorted((a, b) => a.length - b.length)
  expect(one).toBe('batch/Twins.mp4')
  expect(other).toMatch(/^batch\/Twins \[page-\d+\]\.mp4$/)
})

test('a transcription copies its files into the bucket, and says where the first transcript is', async () => {
  const url = await newPage({ en: 'en.vtt', de: 'de.vtt' })
  const { status, result } = await client.transcribed({ url, captions: ['de'], formats: ['json', 'srt'], store: true })
  expect([status, result.complete]).toEqual(['completed', true])
  expect(result.s3Storage).toMatchObject({ bucket: 'media', key: 'A talk.transcript.en.json' })
  const keys = result.files.map(({ key }: Record<string, string>) => key)
  const names = ['de.json', 'de.srt', 'transcript.en.json', 'transcript.en.srt']
  expect(keys).toEqual(names.map((name) => `A talk.${name}`))
  expect(JSON.parse(await (await versity.get('media', keys[2])).text())).toMatchObject({
    text: 'A tone. Still a tone.',
  })
  expect(result.costInDollars).toBe(0.01)
})

test.each([
  [{ formats: ['vtt'] }, 'formats'],
  [{ includeAudio: false, transcribe: { mode: 'speech' } }, 'includeAudio'],
  [{ store: true, storageKey: '{titel}.{ext}' }, 'storageKey'],
  [{ store: true, storageKey: '{title}.{ext}', storagePath: 'a' }, 'storagePath'],
  [{ transcribe: { store: true } }, 'transcribe.store'],
  [{ transcribe: { provider: 'openai', mode: 'captions' } }, 'transcribe.provider'],
  [{ captions: ['not a language'] }, 'captions'],
])('%j is refused, and %s is named', async (fields, path) => {
  const { status, body } = await client.request('POST', '/import', { url: site.media(), ...fields })
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(body.details.map((detail: { path: string }) => detail.path)).toContainEqual(expect.stringContaining(path))
})
