import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Episode, type Feed, type FeedServer, startFeedServer } from '../../doubles/origin/feed-server.ts'
import type { OriginRequest } from '../../doubles/origin/origin.ts'
import { startVersity, type Versity } from '../../doubles/s3/versity.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'
import { verifyWebhook } from '../../support/product/verify-webhook.ts'

/** Watches in the whole product: real queues, a real engine, feeds that change, webhooks and a bucket. */
let feeds: FeedServer
let versity: Versity

const site = ownProduct(async () => {
  ;[feeds, versity] = await Promise.all([startFeedServer(), startVersity()])
  await versity.makeBucket('media')
  return { env: { LEASE_MS: '10000' } }
})

afterAll(() => Promise.all([feeds?.close(), versity?.close()]))

interface Watch {
  status: string
  lastPollAt: string | null
}

interface Item {
  title: string
  status: string
  seconds: number | null
  jobId: string
  costInDollars: number | null
}

/** An episode whose film of 560 kB, or of another path, has a URL of its own. */
const episode = (
  title: string,
  { media = 'media/faststart.mp4', ...stated }: Partial<Episode> & { media?: string } = {},
): Episode => {
  const url = new URL(site.media(media))
  url.searchParams.set('episode', title)
  return { title, url: url.href, guid: title, ...stated }
}

/** Resolves when its film is requested, after the check of its URL. */
const downloading = ({ title }: Episode) => {
  const isDownload = ({ query, headers }: OriginRequest) =>
    query.get('episode') === title && headers.range !== 'bytes=0-1023'
  return expect.poll(() => site.origin.requests.some(isDownload)).toBe(true)
}

/** Sends the rest of its film. */
const release = ({ url }: Episode): void => {
  const { pathname, search } = new URL(url)
  site.origin.release(pathname + search)
}

/** Follows a feed with these episodes for a new account. The webhooks go to a path of their own. */
const follow = async (
  name: string,
  episodes: Episode[],
  body: object = {},
  prepare: (client: AccountClient) => Promise<unknown> = async () => {},
) => {
  const [client, path] = await site.newPair()
  await prepare(client)
  const webhookUrl = `${site.receiver.url}${path}`
  const request = { url: feeds.serve(name, { episodes }), import: { webhookUrl }, webhookUrl, ...body }
  const { watchId, ...started } = await client.post<{ watchId: string }>('/watches', request)
  const watch = () => client.get<Watch>(`/watches/${watchId}`)
  /** Oldest first. */
  const items = async () => (await client.get<{ items: Item[] }>(`/watches/${watchId}/items`)).items.toReversed()
  const { secret } = await client.get<{ secret: string }>('/webhooks/secret')
  /** The webhooks, without those that were sent again. */
  const told = () => {
    const received = site.receiver
      .at(path)
      .map((each) => [each.headers['webhook-id'], verifyWebhook(secret, each)] as const)
    return [...new Map(received).values()].map(({ type, data }) => ({ type, data: data as Record<string, unknown> }))
  }
  return {
    ...{ client, watchId, started, watch, items, told },
    change: (changes: Partial<Feed>) => feeds.serve(name, changes),
    requests: () => feeds.requestsOf(name),
    /** Resolves when the list was read, for the first time or since then. */
    read: (before: string | null = null) =>
      vi.waitUntil(async () => (await watch()).lastPollAt !== before, { timeout: 60_000, interval: 50 }),
    expectItems: (...expected: string[]) =>
      expect.poll(async () => (await items()).map(({ title, status }) => `${title} ${status}`)).toEqual(expected),
    /** Webhooks come in any order. */
    expectTold: (...types: string[]) =>
      expect
        .poll(() =>
          told()
            .map(({ type }) => type)
            .sort(),
        )
        .toEqual(types.toSorted()),
  }
}
type Following = Awaited<ReturnType<typeof follow>>

const chargesOf = async (client: AccountClient): Promise<string[]> => {
  const { entries } = await client.get<{ entries: { kind: string; jobId: string }[] }>('/account/ledger')
  return entries.filter(({ kind }) => kind === 'charge').map(({ jobId }) => jobId)
}

/** Watches that are polled twice. They start first, so that other tests run during the minute between two polls. */
let growing: Following
let rewritten: Following
let quiet: Following
let named: Following
let missing: Following
let cut: Following

beforeAll(async () => {
  const old = [episode('two'), episode('one', { guid: undefined })]
  ;[growing, rewritten, quiet, named, missing, cut] = await Promise.all([
    follow('growing', old, { metadata: { show: '7' }, import: { captions: ['en'] } }),
    follow('rewritten', old),
    follow('quiet', old),
    follow('named', old, { url: feeds.pageOf('named'), import: undefined }),
    follow('missing', old),
    follow('cut', old),
  ])
  await Promise.all([growing, rewritten, quiet, named, missing, cut].map(({ read }) => read()))
})

test('the first read marks what is there, and takes the newest if it is asked to', async () => {
  const episodes = ['three', 'two', 'one'].map((title) => episode(title))
  const { client, watchId, started, told, ...watching } = await follow('marked', episodes, { first: 2 })
  expect(started).toMatchObject({ status: 'starting', message: expect.stringContaining('the 2 newest items') })
  await watching.expectItems('one marked', 'two completed', 'three completed')
  await watching.expectTold('watch.item', 'watch.item', 'import.completed', 'import.completed')
  const news = told().flatMap(({ type, data }) =>
    type === 'watch.item' ? [[data.watchId, data.title, data.status]] : [],
  )
  expect(news.sort()).toEqual([
    [watchId, 'three', 'waiting'],
    [watchId, 'two', 'waiting'],
  ])
  const spent = (await watching.items()).reduce((sum, { costInDollars }) => sum + (costInDollars ?? 0), 0)
  expect(await client.account()).toMatchObject({ balanceDollars: expect.closeTo(10 - spent, 6), heldDollars: 0 })
  const active = { status: 'active', title: 'marked', source: 'feed', waiting: 0 }
  expect(await watching.watch()).toMatchObject({ ...active, spentThisMonthDollars: expect.closeTo(spent, 6) })
  expect(await client.get(`/batches?watchId=${watchId}`)).toMatchObject({ batches: [{ watchId, status: 'completed' }] })
  expect(await client.get('/batches')).toMatchObject({ batches: [] })
})

test('a watch that has just started is not polled again within the minute', async () => {
  const { client, watchId } = await follow('hasty', [])
  const { status, body } = await client.request('POST', `/watches/${watchId}/poll`)
  expect([status, body.error]).toEqual([429, 'A watch is polled at most once a minute.'])
})

test('episodes of one title lie in the bucket by the day on which the feed has dated them, with their captions', async () => {
  const transcript = `${site.origin.url}/media/captions/en.vtt`
  const talk = (day: string) => episode(day, { title: 'Talk', publishedAt: `${day}T23:00:00Z`, transcript })
  const storage = { store: true, storageKey: '{uploader}/{date}/{title}.{ext}' }
  const { endpoint, region, accessKeyId, secretAccessKey } = versity
  const bucket = { endpoint, region, bucket: 'media', accessKeyId, secretAccessKey, pathStyle: true }
  const { expectItems } = await follow(
    'A show',
    [talk('2026-02-02'), talk('2026-02-01')],
    { since: '2026-01-01T00:00:00Z', import: { captions: ['en'], ...storage } },
    (client) => client.request('PUT', '/storage', bucket),
  )
  await expectItems('Talk completed', 'Talk completed')
  for (const day of ['2026-02-01', '2026-02-02']) {
    const film = await versity.get('media', `A show/${day}/Talk.mp4`)
    expect(film.headers.get('content-type')).toBe('video/mp4')
    await film.body?.cancel()
    expect(await (await versity.get('media', `A show/${day}/Talk.en.vtt`)).text()).toContain('Still a tone.')
  }
})

test('a filter inspects what states no length, and requests nothing that it can leave out without that', async () => {
  const dated = (title: string, day: number, more: object = {}) =>
    episode(title, { publishedAt: `2026-02-0${day}T00:00:00Z`, ...more })
  const episodes = [
    dated('A trailer', 4),
    dated('stated', 3, { seconds: 6 }),
    dated('long', 2, { media: 'media/black-start.mp4' }),
    dated('short', 1),
  ]
  const filter = { notTitle: ['TRAILER'], minSeconds: 8 }
  const { expectItems, expectTold, items, client } = await follow('filtered', episodes, {
    since: '2026-01-01T00:00:00Z',
    filter,
  })
  await expectItems('short filtered', 'long completed', 'stated filtered', 'A trailer filtered')
  expect((await items()).map(({ seconds }) => seconds && Math.round(seconds))).toEqual([6, 10, 6, null])
  await expectTold('watch.item', 'import.completed')
  expect(await chargesOf(client)).toHaveLength(1)
  const requested = new Set(site.origin.requests.map(({ query }) => query.get('episode')))
  expect(['A trailer', 'stated', 'long', 'short'].filter((title) => requested.has(title))).toEqual(['long', 'short'])
})

test('what is no list is failing at once, and says so once', async () => {
  const { expectTold, watch, told } = await follow('no list', [], { url: site.media() })
  await expectTold('watch.failing')
  const failing = { status: 'failing', code: 'SOURCE_UNSUPPORTED', message: 'This is no feed, channel or playlist.' }
  expect(await watch()).toMatchObject({ ...failing, failures: 1 })
  expect(told()[0]?.data).toMatchObject(failing)
})

test('more than maxNew at once wait until their caller takes them, and cost nothing before', async () => {
  const episodes = [3, 2, 1].map((day) => episode(`day ${day}`, { publishedAt: `2026-02-0${day}T00:00:00Z` }))
  const many = { since: '2026-01-01T00:00:00Z', maxNew: 2 }
  const { client, watchId, expectTold, expectItems, ...watching } = await follow('many', episodes, many)
  await expectTold('watch.paused')
  expect(await watching.watch()).toMatchObject({ status: 'paused', code: 'TOO_MANY_NEW', waiting: 3 })
  await expectItems('day 1 waiting', 'day 2 waiting', 'day 3 waiting')
  expect(await client.request('POST', `/watches/${watchId}/poll`)).toMatchObject({
    status: 409,
    body: { code: 'WATCH_PAUSED' },
  })
  expect(await client.get('/jobs')).toMatchObject({ jobs: [] })
  await client.request('PATCH', `/watches/${watchId}`, { paused: false })
  await expectItems('day 1 completed', 'day 2 completed', 'day 3 completed')
  const ofEach = ['watch.item', 'import.completed']
  await expectTold('watch.paused', 'watch.resumed', ...ofEach, ...ofEach, ...ofEach)
})

test('an item whose engine is killed completes later, and is charged once', async () => {
  const film = episode('film', { media: 'generated/12000000.mp4?holdAfter=100000' })
  const { client, items, expectItems, watch } = await follow('killed', [film, episode('old')], { first: 1 })
  await expectItems('old marked', 'film running')
  const [, { jobId }] = (await items()) as [Item, Item]
  await downloading(film)
  await site.haul.killContainer('SIGKILL')
  release(film)
  await site.haul.ready()
  await expectItems('old marked', 'film completed')
  expect(await chargesOf(client)).toEqual([jobId])
  expect(await watch()).toMatchObject({ spentThisMonthDollars: 0.12, waiting: 0 })
})

test('a watch that is removed leaves its job alone, takes nothing that waits, and tells no more', async () => {
  const episodes = ['two', 'one'].map((title) => episode(title, { media: 'generated/3000000.mp4?holdAfter=100000' }))
  const { client, watchId, items, expectTold } = await follow('removed', episodes, { first: 2 })
  // One slot of the account stays free, so the other item waits.
  const running = async () => (await items()).find(({ status }) => status === 'running')
  const { jobId } = await vi.waitUntil(running, { timeout: 60_000, interval: 50 })
  expect((await client.request('DELETE', `/watches/${watchId}`)).status).toBe(204)
  expect((await client.request('GET', `/watches/${watchId}`)).status).toBe(404)
  for (const each of episodes) release(each)
  expect(await client.ended(jobId)).toMatchObject({ status: 'completed', result: { downloadedBytes: 3_000_000 } })
  await expectTold('watch.item', 'watch.item', 'import.completed')
  expect(await chargesOf(client)).toEqual([jobId])
})

/** The rest of the minute, and what the tests above have not used up of it. */
const POLL_TIMEOUT_MS = 180_000

/** Waits as long as the service says. */
const pollAgain = async ({ client, watchId, watch, read }: Following): Promise<void> => {
  const { lastPollAt } = await watch()
  for (;;) {
    const { status, headers } = await client.request('POST', `/watches/${watchId}/poll`)
    if (status === 202) return void (await read(lastPollAt))
    expect(status).toBe(429)
    await sleep(Number(headers.get('retry-after')) * 1_000)
  }
}

const withNews = (...more: Episode[]): Episode[] => [...more, episode('two'), episode('one', { guid: undefined })]

test('a new episode is told, imported and has its captions, and the metadata of the watch', {
  timeout: POLL_TIMEOUT_MS,
}, async () => {
  const transcript = `${site.origin.url}/media/captions/en.vtt`
  growing.change({ episodes: withNews(episode('three', { transcript, seconds: 6 })) })
  await pollAgain(growing)
  await growing.expectItems('one marked', 'two marked', 'three completed')
  await growing.expectTold('watch.item')
  expect(growing.told()[0]?.data).toMatchObject({
    title: 'three',
    seconds: 6,
    status: 'waiting',
    metadata: { show: '7' },
  })
  const { jobId } = (await growing.items()).at(-1) as Item
  const { result, metadata } = await growing.client.get<{ result: { files: object[] }; metadata: object }>(
    `/jobs/${jobId}`,
  )
  expect(metadata).toEqual({ show: '7' })
  expect(result.files).toMatchObject([{ kind: 'media' }, { kind: 'captions', language: 'en', status: 'completed' }])
})

test('an episode with another file, another token or a date is the one that was known', {
  timeout: POLL_TIMEOUT_MS,
}, async () => {
  const publishedAt = '2026-12-01T00:00:00Z'
  const moved = episode('two', { title: 'Two, remastered', media: 'media/black-start.mp4', publishedAt })
  const signed = episode('one', { guid: undefined, media: 'media/faststart.mp4?token=2' })
  rewritten.change({ episodes: [moved, signed] })
  await pollAgain(rewritten)
  expect(rewritten.requests().at(-1)?.status).toBe(200)
  await rewritten.expectItems('one marked', 'two marked')
  expect(await rewritten.watch()).toMatchObject({ status: 'active', failures: 0 })
})

test('a feed that has not changed is not sent again', { timeout: POLL_TIMEOUT_MS }, async () => {
  const before = quiet.requests().length
  await pollAgain(quiet)
  expect(quiet.requests().slice(before)).toEqual([{ ifNoneMatch: expect.stringMatching(/^".+"$/), status: 304 }])
  expect(await quiet.watch()).toMatchObject({ status: 'active', failures: 0 })
})

test('a page that names a feed is followed by its feed, and a watch without jobs only tells', {
  timeout: POLL_TIMEOUT_MS,
}, async () => {
  expect(await named.watch()).toMatchObject({ source: 'feed', title: 'named', url: feeds.pageOf('named') })
  named.change({ episodes: withNews(episode('three')) })
  await pollAgain(named)
  await named.expectItems('one marked', 'two marked', 'three told')
  await named.expectTold('watch.item')
  expect(named.told()[0]?.data).toMatchObject({ title: 'three', status: 'told' })
  expect(await named.client.get('/jobs')).toMatchObject({ jobs: [] })
})

test('a feed that is missing, and one that is cut off, count as failures, and nothing is taken of them', {
  timeout: POLL_TIMEOUT_MS,
}, async () => {
  missing.change({ status: 404 })
  cut.change({ episodes: withNews(episode('three')), isCutOff: true })
  await Promise.all([pollAgain(missing), pollAgain(cut)])
  expect(await missing.watch()).toMatchObject({ status: 'active', code: 'SOURCE_NOT_FOUND', failures: 1 })
  expect(await cut.watch()).toMatchObject({ status: 'active', code: 'SOURCE_TRUNCATED', failures: 1 })
  await cut.expectItems('one marked', 'two marked')
  await cut.expectTold()
})
