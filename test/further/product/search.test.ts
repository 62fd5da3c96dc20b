import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type FeedServer, startFeedServer } from '../../doubles/origin/feed-server.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import type { AccountClient, ApiClient } from '../../support/product/api-client.ts'
import { type Captions, captionedPages, type Found, search, searchAll } from '../../support/product/captioned-pages.ts'
import { product } from '../../support/product/product.ts'

/** What was said is found within a minute, in the whole product: pages with captions, speech, imports, batches and watches. */
const site = product()
const FOUND_WITHIN_MS = 60_000

let sites: Origin
let feeds: FeedServer
let client: AccountClient

beforeAll(async () => {
  ;[sites, feeds, client] = await Promise.all([startOrigin({ root: site.folder }), startFeedServer(), site.newClient()])
})

afterAll(() => Promise.all([sites?.close(), feeds?.close()]))

const pageOf = captionedPages(() => ({ folder: site.folder, originUrl: sites.url, filmUrl: site.media() }))

const isFound = (account: AccountClient, jobId: string, word: string) =>
  vi.waitFor(async () => expect((await search(account, word, { jobId })).results).not.toEqual([]), {
    timeout: FOUND_WITHIN_MS,
    interval: 100,
  })

/** Waits for the end of a job, and until a word of it is found. */
const found = async (account: AccountClient, jobId: string, word: string): Promise<string> => {
  expect(await account.ended(jobId)).toMatchObject({ status: 'completed' })
  await isFound(account, jobId, word)
  return jobId
}

/** A transcription of captions that is found by its title. */
const heard = async (captions: Captions, body: object = {}, account = client): Promise<string> => {
  const request = { url: await pageOf(captions), ...body }
  const { jobId } = await account.post<{ jobId: string }>('/transcribe', request)
  return found(account, jobId, captions.title ?? 'talk')
}

const snippets = async (account: ApiClient, q: string, filter: Record<string, string> = {}): Promise<string[]> =>
  (await search(account, q, filter)).results.map(({ snippet }) => snippet)

const marked = ({ snippet, matches }: Found): string[] => matches.map(([at, length]) => snippet.slice(at, at + length))

describe('what is searched for is words', () => {
  let jobId: string

  beforeAll(async () => {
    const lines = [
      "A multi-agent system: they don't know a:b.",
      'The NEAR(operator), and OR, are words.',
      '今日は東京大学でiPhoneの話をします。',
      '&lt;script&gt;alert(1)&lt;/script&gt; is not run.',
      'The café of the old town, the one by the river.',
      'ประเทศไทย',
    ]
    jobId = await heard({ lines, title: 'Zoology' })
  })

  test.each([
    ['multi-agent', ['multi-agent']],
    ['"multi agent"', ['multi-agent']],
    ['SYSTEM agen*', ['agent', 'system']],
    ["don't", ["don't"]],
    ['a:b', ['a:b']],
    ['NEAR(', ['NEAR']],
    ['NEAR(operator OR) AND', ['NEAR(operator', 'and', 'OR']],
    ['"near operator', ['NEAR', 'operator']],
    ['東京', ['東京']],
    ['東京大学で', ['東京大学で']],
    ['iphone', ['iPhone']],
    ['iphone 話', ['iPhone', '話']],
    ['ประเทศ', ['ประเทศ']],
    ['CAFE', ['café']],
    ['cafe the', ['The', 'café', 'the', 'the', 'the']],
    ['script', ['script', 'script']],
    ['<script>alert', ['script>alert']],
    ['zoology', ['Zoology']],
  ])('%s finds %j', async (q, words) => {
    const { results } = await search(client, q, { jobId })
    expect(results.map(marked)).toEqual([words])
  })

  test.each(['東学', 'phone', 'system -agent', 'system -"multi agent"', '"agent multi"', 'system river', 'systems'])(
    '%s finds nothing',
    async (q) => expect(await snippets(client, q, { jobId })).toEqual([]),
  )

  test.each(['', ' ', '()', '-word', '"', '*', 'a '.repeat(21), 'a'.repeat(201)])('%j is refused', async (q) => {
    const { status, body } = await client.request('GET', `/search?${new URLSearchParams({ q })}`)
    expect([status, body.code, body.details[0].path]).toEqual([400, 'INVALID_REQUEST', 'q'])
  })

  test('markup in captions is text, and a word that is everywhere is found', async () => {
    expect(await snippets(client, 'alert', { jobId })).toEqual(['<script>alert(1)</script> is not run.'])
    expect(await snippets(client, 'the', { jobId })).toHaveLength(2)
  })

  test('a result has its place; a title is found at the beginning', async () => {
    const { results } = await search(client, 'river', { jobId })
    const { url } = (await client.get<{ jobs: { url: string }[] }>('/jobs?limit=1')).jobs[0] ?? {}
    const place = { jobId, title: 'Zoology', url, link: url, start: 160, end: 163, language: 'en' }
    expect(results).toEqual([{ ...place, snippet: expect.stringContaining('café'), matches: [[41, 5]] }])
    expect((await search(client, 'zoology')).results).toMatchObject([{ jobId, start: 0, snippet: 'Zoology' }])
  })
})

test('a passage is found by speaker, language, metadata, job and time, and pages follow each other', async () => {
  const account = await site.newClient()
  const lines = ['<v Ann>The whale sings.', '<v Ben>A whale? A whale!', '<v Ann>It has a whale of a time.']
  const english = await heard({ lines }, { metadata: { show: 'sea', episode: '1' } }, account)
  const german = await heard({ lines: ['Der Whale.'], language: 'de' }, { metadata: { show: 'sea' } }, account)
  const between = (await account.get<{ createdAt: string }>(`/jobs/${german}`)).createdAt
  const jobsOf = async (filter: Record<string, string>) =>
    (await searchAll(account, 'whale', filter)).map(({ jobId }) => (jobId === german ? 'german' : 'english'))
  expect(await jobsOf({ speaker: 'Ben' })).toEqual(['english'])
  expect(await jobsOf({ speaker: 'Ann' })).toEqual(['english', 'english'])
  expect(await jobsOf({ language: 'de' })).toEqual(['german'])
  expect(await jobsOf({ 'metadata.show': 'sea', 'metadata.episode': '1' })).toHaveLength(3)
  expect(await jobsOf({ 'metadata.show': 'land' })).toEqual([])
  expect(await jobsOf({ jobId: german })).toEqual(['german'])
  expect(await jobsOf({ after: between })).toEqual(['german'])
  expect(await jobsOf({ before: between })).toEqual(['english', 'english', 'english'])
  expect(await jobsOf({ sort: 'newest', limit: '1' })).toEqual(['german', 'english', 'english', 'english'])
  for (const sort of ['newest', 'relevance']) {
    const whole = await searchAll(account, 'whale', { sort })
    expect(await searchAll(account, 'whale', { sort, limit: '1' })).toEqual(whole)
    expect(new Set(whole.map(({ start, jobId }) => `${jobId} ${start}`)).size).toBe(4)
  }
  expect((await search(account, 'whale', { speaker: 'Ben', jobId: english })).results).toMatchObject([
    {
      speaker: 'Ben',
      start: 40,
      matches: [
        [2, 5],
        [11, 5],
      ],
    },
  ])
})

const clip = join(import.meta.dirname, '../../media/clips/0870.flac')

test('captions of an import are found, and their link plays at the second', async () => {
  const url = await pageOf({ lines: ['Nothing yet.', 'The kiwi sleeps.'] })
  const jobId = await found(client, await client.start({ url, captions: ['en'] }), 'kiwi')
  const [{ link, ...result } = {} as Found] = (await search(client, 'kiwi')).results
  expect(result).toMatchObject({ jobId, title: 'A talk', url, start: 40, snippet: 'The kiwi sleeps.' })
  expect(link).toMatch(/\/media\/imp_.*#t=40$/)
  const response = await fetch(`${link}`, { headers: { range: 'bytes=100-199' } })
  expect([response.status, response.headers.get('content-type')]).toEqual([206, 'video/mp4'])
  expect((await response.arrayBuffer()).byteLength).toBe(100)
})

test('speech is found: of an import, of a transcription that has read it, and of a file. Without the media, its page is left', async () => {
  const account = await site.newClient()
  await copyFile(clip, join(site.folder, 'speech.flac'))
  const url = `${sites.url}/media/speech.flac`
  const imported = await account.start({ url, transcribe: { mode: 'speech' } })
  await found(account, imported, 'dashwood')
  const { jobId } = await account.post<{ jobId: string }>('/transcribe', { importId: imported, provider: 'builtin' })
  await found(account, jobId, 'dashwood')
  const media = expect.stringMatching(new RegExp(`/media/${imported}.*#t=0$`))
  const placesOf = async () => {
    const { results } = await search(account, '"john dashwood"', { sort: 'newest' })
    return results.map(({ url, link }) => [url, link])
  }
  expect(await placesOf()).toEqual([
    [url, media],
    [url, media],
  ])
  await account.remove(`/jobs/${imported}`)
  expect(await placesOf()).toEqual([[url, url]])

  const form = new FormData()
  form.set('file', new File([await readFile(clip)], 'clip.flac'))
  form.set('model', 'haul-builtin')
  const headers = { authorization: `Bearer ${account.apiKey}` }
  const answer = await fetch(`${site.haul.baseUrl}/v1/audio/transcriptions`, { method: 'POST', body: form, headers })
  expect(answer.status).toBe(200)
  const expected = [
    [null, null],
    [url, url],
  ]
  await vi.waitFor(async () => expect(await placesOf()).toEqual(expected), FOUND_WITHIN_MS)
})

test('jobs of a watch and of a batch are found, those of the watch by its id', async () => {
  const account = await site.newClient()
  const page = await pageOf({ lines: ['An otter swims.'] })
  const transcript = page.replace('.html', '.vtt')
  const episode = { title: 'Otters', url: site.media(), guid: 'otters', transcript }
  const url = feeds.serve('otters', { episodes: [episode] })
  const { watchId } = await account.post<{ watchId: string }>('/watches', { url, first: 1, transcribe: {} })
  await account.post('/batches', { urls: [page], transcribe: {} })
  const urlsOf = async (filter?: Record<string, string>) =>
    (await search(account, 'otter', filter)).results.map(({ url }) => url).sort()
  await vi.waitFor(async () => expect(await urlsOf()).toEqual([page, episode.url].sort()), FOUND_WITHIN_MS)
  expect(await urlsOf({ watchId })).toEqual([episode.url])
})

test('a key without read finds only its own, one that only manages nothing, and another account nothing', async () => {
  const account = await site.newClient()
  const all = await heard({ lines: ['A lynx hides.'] }, {}, account)
  const withScopes = async (...scopes: string[]) =>
    site.clientWith((await account.post<{ apiKey: string }>('/keys', { name: scopes.join(), scopes })).apiKey)
  const [narrow, reader, manager] = [
    await withScopes('transcribe'),
    await withScopes('read'),
    await withScopes('manage'),
  ]
  const started = await narrow.request('POST', '/transcribe', { url: await pageOf({ lines: ['Its own lynx.'] }) })
  const own = await found(account, started.body.data.jobId, 'lynx')
  const jobsOf = async (key: ApiClient) => (await search(key, 'lynx')).results.map(({ jobId }) => jobId).sort()
  expect(await jobsOf(narrow)).toEqual([own])
  expect(await jobsOf(reader)).toEqual([all, own].sort())
  expect(await jobsOf(await site.newClient())).toEqual([])
  const { status, body } = await manager.request('GET', '/search?q=lynx')
  expect([status, body.code]).toEqual([403, 'SCOPE_MISSING'])
  expect((await reader.request('POST', '/search/rebuild')).status).toBe(403)
  expect((await reader.request('PATCH', '/account', { index: false })).status).toBe(403)
})

test('what is removed, was started with index: false, or is in an account without an index, is not found', async () => {
  const account = await site.newClient()
  const lines = ['A heron waits.']
  const kept = await heard({ lines }, {}, account)
  const removed = await heard({ lines }, {}, account)
  const hidden = await account.transcribed({ url: await pageOf({ lines }), index: false })
  const herons = async () => (await search(account, 'heron')).results.map(({ jobId }) => jobId).sort()
  const stateOf = async () => {
    const { index, search } = await account.account()
    return { index, ...search }
  }
  expect(await herons()).toEqual([kept, removed].sort())
  expect(await stateOf()).toEqual({ index: true, bytes: expect.any(Number), passages: 4, full: false })
  await account.remove(`/jobs/${removed}`)
  expect(await herons()).toEqual([kept])

  expect((await account.request('PATCH', '/account', { index: false })).body.data).toEqual({ index: false })
  expect(await herons()).toEqual([])
  await vi.waitFor(
    async () => expect(await stateOf()).toMatchObject({ index: false, bytes: 0, passages: 0 }),
    FOUND_WITHIN_MS,
  )
  expect((await account.request('POST', '/search/rebuild')).body.code).toBe('SEARCH_OFF')
  const quiet = await account.transcribed({ url: await pageOf({ lines }) })

  expect((await account.request('PATCH', '/account', { index: true })).body.data).toEqual({ index: true })
  const next = await heard({ lines }, {}, account)
  expect(await herons()).toEqual([next])
  expect((await account.request('POST', '/search/rebuild')).body.data).toEqual({ status: 'rebuilding' })
  const expected = [kept, quiet.jobId, next].sort()
  await vi.waitFor(async () => expect(await herons()).toEqual(expected), FOUND_WITHIN_MS)
  expect(expected).not.toContain(hidden.jobId)
  expect(await stateOf()).toMatchObject({ index: true, passages: 6 })
})
