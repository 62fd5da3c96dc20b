import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { listSource } from '../../../../container/source/list/list-source.ts'
import { html } from '../extractor/pages.ts'
import { extractorSite, inExtractor, never } from '../extractor/site.ts'

const sends =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': type, ...headers }).end(body)
const page = (body: string) => sends('text/html', html(body))
const json = (value: unknown) => sends('application/json', JSON.stringify(value))

/** A catalog of a platform that universities run on hosts of their own: yt-dlp has an extractor for it. */
const catalogId = '1234567890abcdef1234567890abcdef12'
const lectureId = (index: number) => `${index}`.padStart(34, '0')
const catalog = (lectures: number) => ({
  CurrentFolder: { Name: 'Lectures' },
  PresentationDetailsList: Array.from({ length: lectures }, (_, index) => ({ Id: lectureId(index) })),
})

const feed = (items: string) => `<rss version="2.0"><channel><title>A podcast</title>${items}</channel></rss>`
const episode = (index: number) =>
  `<item><title>Episode ${index}</title><enclosure url="/${index}.mp3" type="audio/mpeg"/></item>`
const episodes = (count: number) => Array.from({ length: count }, (_, index) => episode(index)).join('')
const rss = 'application/rss+xml'

const site = extractorSite({
  '/Mediasite/Catalog/catalogs/all': page(`<script>CatalogId: '${catalogId}'</script>`),
  [`/Mediasite/Catalog/Full/${catalogId}`]: page('the catalog'),
  '/Mediasite/Catalog/Data/GetPresentationsForFolder': json(catalog(600)),
  '/embeds': page(
    ['aaaaaaaaaaa', 'bbbbbbbbbbb', 'aaaaaaaaaaa']
      .map((id) => `<iframe src="https://www.youtube.com/embed/${id}"></iframe>`)
      .join(''),
  ),
  '/qualities': page(`<video><source src="/small.mp4" res="360"><source src="/large.mp4" res="720"></video>
    <video src="/master.m3u8"></video><video src="javascript:alert(1)"></video><video src="file:///etc/passwd"></video>`),
  '/gzip.xml': sends(rss, gzipSync(feed(episodes(3))), { 'content-encoding': 'gzip' }),
  '/long.xml': sends(rss, feed(`<description>${'words '.repeat(400_000)}</description>${episodes(600)}`)),
  '/huge.xml': (_, response) =>
    response.writeHead(200, { 'content-type': rss, 'content-length': '50000001' }).write(feed(episodes(100))),
  '/empty.xml': sends(rss, feed('')),
  '/moved.xml': (_, response) => response.writeHead(302, { location: '/feeds/moved/rss' }).end(),
  '/feeds/moved/rss': sends(rss, feed('<item><enclosure url="a.mp3" type="audio/mpeg"/></item>')),
  '/text': sends('text/plain', 'nothing to play'),
  '/file.mp3': sends('audio/mpeg', Buffer.concat([Buffer.from('ID3\x04'), Buffer.alloc(5_000)])),
})
const list = (path: string, limit = 50, signal = never) =>
  listSource(site.origin + path, limit, { egress: site.egress, extractor: site.extractor, signal })
const urlsOf = async (path: string, limit?: number) =>
  (await list(path, limit)).items.map(({ url }) => url.replace(site.origin, ''))

describe('a playlist of a platform', () => {
  test('has its title, its count and the URLs of its videos in order, up to the limit', async () => {
    const { title, count, items } = await list(`/Mediasite/Catalog/Full/${catalogId}`, 600)
    expect([title, count, items.length]).toEqual(['Lectures', 600, 600])
    expect(items[7]).toEqual({
      url: `${site.origin}/Mediasite/Play/${lectureId(7)}`,
      title: null,
      durationSeconds: null,
    })
    const some = await list(`/Mediasite/Catalog/Full/${catalogId}`, 50)
    expect(some).toEqual({ title, count: null, items: items.slice(0, 50) })
  })

  test('is found through a page that leads to it', async () => {
    expect(await urlsOf('/Mediasite/Catalog/catalogs/all', 1)).toEqual([`/Mediasite/Play/${lectureId(0)}`])
  })
})

describe('a page', () => {
  test('with several videos is a list of them', async () => {
    expect(await list('/several')).toEqual({
      title: 'A page',
      count: 2,
      items: [
        { url: `${site.origin}/first.mp4`, title: 'A page (1)', durationSeconds: null },
        { url: `${site.origin}/second.mp4`, title: 'A page (2)', durationSeconds: null },
      ],
    })
  })

  test('with videos of other sites lists each of them once', async () => {
    expect(await urlsOf('/embeds')).toEqual([
      'https://www.youtube.com/embed/aaaaaaaaaaa',
      'https://www.youtube.com/embed/bbbbbbbbbbb',
    ])
  })

  test('lists a video with its best file or its manifest, and nothing that is not on the web', async () => {
    expect(await urlsOf('/qualities')).toEqual(['/large.mp4', '/master.m3u8'])
  })

  test('with one video is a list of one: itself', async () => {
    const item = { url: `${site.origin}/one`, title: 'A page', durationSeconds: null }
    expect(await list('/one')).toEqual({ title: 'A page', count: 1, items: [item] })
  })
})

test.each([
  ['/master.m3u8', 'master', 10],
  ['/dash.mpd', 'dash', null],
  ['/file.mp3', 'file', null],
])('%s is a list of one', async (path, title, durationSeconds) => {
  expect(await list(path)).toEqual({ title, count: 1, items: [{ url: site.origin + path, title, durationSeconds }] })
})

describe('a feed', () => {
  test('has its title, the number of its episodes, and no more of them than the limit', async () => {
    const { title, count, items } = await list('/long.xml', 500)
    expect([title, count, items.length, items[0], items[499]]).toEqual([
      'A podcast',
      600,
      500,
      { url: `${site.origin}/0.mp3`, title: 'Episode 0', durationSeconds: null },
      { url: `${site.origin}/499.mp3`, title: 'Episode 499', durationSeconds: null },
    ])
  })

  test('may be compressed', async () => {
    expect(await urlsOf('/gzip.xml')).toEqual(['/0.mp3', '/1.mp3', '/2.mp3'])
  })

  test('has URLs relative to where it was found', async () => {
    expect(await urlsOf('/moved.xml')).toEqual(['/feeds/moved/a.mp3'])
  })

  test('of more than 50 MB is refused as soon as its size is known', async () => {
    await expect(list('/huge.xml')).rejects.toMatchObject({
      code: 'MEDIA_TOO_LARGE',
      message: 'The feed has more than 50 MB.',
    })
  })

  test('without episodes is an empty list', async () => {
    expect(await list('/empty.xml')).toEqual({ title: 'A podcast', count: 0, items: [] })
  })
})

test.each([
  ['/missing', 'SOURCE_NOT_FOUND'],
  ['/status/401', 'SOURCE_PRIVATE'],
  ['/status/403', 'SOURCE_BLOCKED'],
  ['/none', 'SOURCE_UNSUPPORTED'],
  ['/text', 'SOURCE_UNSUPPORTED'],
  ['/redirect-to-forbidden', 'SOURCE_UNREACHABLE'],
])('%s fails with %s', async (path, code) => {
  await expect(list(path)).rejects.toMatchObject({ code })
  expect(site.forbiddenRequests).toBe(0)
})

test('a source that does not answer is given up when the time is over', async () => {
  await expect(list('/hangs', 50, AbortSignal.timeout(300))).rejects.toThrow()
})

/** What the extractors of large platforms return, without the platforms. */
const listing = async (playlist: string, limit: number) =>
  JSON.parse(
    await inExtractor(`
import json, listing, resolve
read = []
def films(count, name='f'):
  for index in range(count):
    read.append(index)
    yield {'_type': 'url', 'url': f'https://v.example/{name}{index}', 'title': f'Film {index}', 'duration': 60 + index}
def tab(name, entries):
  return {'_type': 'playlist', 'title': name, 'entries': entries}
class Extractor:
  def is_single_video(self, url):
    return None
class Site(resolve.Resolver):
  pages = []
  def get_info_extractor(self, key):
    return Extractor()
  def extract_info(self, url, **options):
    self.pages.append(url)
    return {'_type': 'playlist', 'extractor_key': 'Tab', 'entries': films(2, url.split('/')[-1] + '-')} if 'list' in url else ${playlist}
site = Site()
answer = listing.list_items('https://v.example/', site, ${limit})
print(json.dumps({**answer, 'read': len(read), 'pages': len(site.pages)}))`),
  )

describe('a channel', () => {
  test('of 10,000 videos is not read beyond the limit', async () => {
    const { list, read } = await listing("{'_type': 'playlist', 'title': 'Channel', 'entries': films(10_000)}", 500)
    expect([list.items.length, list.count, read]).toEqual([500, null, 501])
    expect(list.items[1]).toEqual({ url: 'https://v.example/f1', title: 'Film 1', duration: 61 })
  })

  test('has the count that its platform states', async () => {
    const { list } = await listing("{'_type': 'playlist', 'playlist_count': 10_000, 'entries': films(10_000)}", 2)
    expect([list.items.length, list.count]).toEqual([2, 10_000])
  })

  test('with tabs lists the videos of all tabs', async () => {
    const tabs = "tab('Channel', [tab('Videos', films(3, 'v')), tab('Shorts', films(2, 's'))])"
    const { list } = await listing(tabs, 4)
    const paths = list.items.map(({ url }: { url: string }) => url.split('/').at(-1))
    expect(paths).toEqual(['v0', 'v1', 'v2', 's0'])
  })

  test('that lists playlists is a list of their videos, of twenty playlists at most', async () => {
    const playlists =
      "{'_type': 'playlist', 'extractor_key': 'Tab', 'entries': [{'_type': 'url', 'ie_key': 'Tab', 'url': f'https://v.example/list/{i}'} for i in range(30)]}"
    const { list, pages } = await listing(playlists, 500)
    expect([list.items.length, pages]).toEqual([40, 21])
  })

  test('names its videos as their extractor does, and itself', async () => {
    const videos = `[{'_type': 'url', 'url': 'https://v.example/1', 'ie_key': 'Site', 'id': 'one'},
      {'_type': 'video', 'url': 'https://v.example/2.mp4', 'ie_key': 'Site', 'id': 'page-2'}]`
    const { list } = await listing(`{'_type': 'playlist', 'channel_id': 'UC1', 'entries': ${videos}}`, 500)
    expect([list.channel_id, list.items]).toEqual([
      'UC1',
      [{ url: 'https://v.example/1', ie_key: 'Site', id: 'one' }, { url: 'https://v.example/2.mp4' }],
    ])
  })

  test.each([
    ["{'_type': 'playlist', 'entries': films(3)}", 3, true],
    ["{'_type': 'playlist', 'playlist_count': 3, 'entries': films(3)}", 3, true],
    ["{'_type': 'playlist', 'playlist_count': 4, 'entries': films(3)}", 5, false],
    ["{'_type': 'playlist', 'entries': films(3)}", 2, false],
    ["tab('Channel', [tab('Videos', films(2, 'v')), tab('Shorts', films(2, 's'))])", 4, true],
    ["tab('Channel', [tab('Videos', films(2, 'v')), tab('Shorts', films(2, 's'))])", 3, false],
  ])('%s with a limit of %i is whole: %s', async (playlist, limit, isWhole) => {
    expect((await listing(playlist, limit)).list.isWhole).toBe(isWhole)
  })

  test('that repeats itself without end is given up', async () => {
    const endless =
      "{'_type': 'playlist', 'entries': ({'_type': 'url', 'url': 'https://v.example/same'} for i in iter(int, 1))}"
    const { list } = await listing(endless, 500)
    expect([list.items.length, list.count]).toEqual([1, null])
  })
})
