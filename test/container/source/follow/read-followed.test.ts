import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readFollowed } from '../../../../container/source/follow/read-followed.ts'

const url = 'https://pod.example/feeds/show.xml'
const read = (text: string, limit = 500) =>
  readFollowed({ bytes: new Uint8Array(Buffer.from(text)), contentType: null, url }, limit)
const rss = (items: string) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>A show</title>${items}</channel></rss>`
const atom = (entries: string) => `<feed xmlns="http://www.w3.org/2005/Atom"><title>A blog</title>${entries}</feed>`
const enclosure = (address = 'https://cdn.example/1.mp3') => `<enclosure url="${address}" type="audio/mpeg"/>`
const item = (tags: string) => `<item>${enclosure()}${tags}</item>`
const itemOf = (tags: string) => read(rss(item(tags))).items[0]
const entryOf = (tags: string) => read(atom(`<entry><link href="/1"/>${tags}</entry>`)).items[0]
const dateOf = (found: { publishedAt: number | null } | undefined) =>
  found?.publishedAt ? new Date(found.publishedAt).toISOString().slice(0, 10) : null

describe('an entry', () => {
  test('has what is read for a batch, and what identifies it', () => {
    const text = rss(`<item><title>One</title><guid isPermaLink="false"> 7 </guid>${enclosure()}
      <itunes:duration>1:00</itunes:duration><pubDate>Thu, 19 Nov 2026 08:30:00 GMT</pubDate></item>`)
    expect(read(text)).toEqual({
      title: 'A show',
      isWhole: true,
      digest: createHash('sha256').update(text).digest('hex'),
      items: [
        {
          ...{ url: 'https://cdn.example/1.mp3', title: 'One', durationSeconds: 60 },
          ...{ guid: '7', publishedAt: Date.UTC(2026, 10, 19, 8, 30), platformId: null },
        },
      ],
    })
  })

  test('is an item also if another has its URL: two episodes may be called latest.mp3', () => {
    const { items, isWhole } = read(rss(item('<guid>2</guid>') + item('<guid>1</guid>')))
    expect(items.map(({ url, guid }) => [url, guid])).toEqual([
      ['https://cdn.example/1.mp3', '2'],
      ['https://cdn.example/1.mp3', '1'],
    ])
    expect(isWhole).toBe(true)
  })

  test('of a podcast is left out without media, and one without a usable URL is, too', () => {
    const items = `<item><link>https://pod.example/news</link></item>${item('')}<item>${enclosure('ftp://cdn.example/1.mp3')}</item>`
    expect(read(rss(items))).toMatchObject({ items: [{ url: 'https://cdn.example/1.mp3' }], isWhole: true })
  })

  test('of a feed of pages is its link, or its guid if that is a permanent link', () => {
    const items =
      '<item><guid>https://site.example/1</guid></item><item><guid isPermaLink="false">https://site.example/2</guid></item>'
    expect(read(rss(items)).items.map(({ url }) => url)).toEqual(['https://site.example/1'])
  })
})

describe('the guid', () => {
  test.each([
    ['of RSS', itemOf('<guid>a &amp; b</guid>'), 'a & b'],
    ['in CDATA', itemOf('<guid><![CDATA[a<b]]></guid>'), 'a<b'],
    ['of Atom', entryOf('<id>\n tag:site.example,2026:1 </id>'), 'tag:site.example,2026:1'],
    ['before another id', itemOf('<id>2</id><guid>1</guid>'), '1'],
    ['that is empty', itemOf('<guid>  </guid>'), null],
    ['of 2,048 characters', itemOf(`<guid>${'g'.repeat(2_048)}</guid>`), 'g'.repeat(2_048)],
  ])('%s', (_, found, guid) => expect(found?.guid).toBe(guid))

  test('of RSS 1.0 is the URI of the item', () => {
    const rdf = `<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel rdf:about="/"><title>Old</title></channel>
      <item rdf:about="https://site.example/#1"><title>One</title><link>https://site.example/1</link>
      <dc:date>2026-11-19</dc:date></item></rdf:RDF>`
    expect(read(rdf)).toMatchObject({
      title: 'Old',
      items: [{ guid: 'https://site.example/#1', url: 'https://site.example/1', publishedAt: Date.UTC(2026, 10, 19) }],
    })
  })

  test('of a megabyte is answered as its hash', () => {
    const guid = 'g'.repeat(1_000_000)
    const hash = createHash('sha256').update(guid).digest('hex')
    expect(itemOf(`<guid>${guid}</guid>`)?.guid).toBe(`sha256:${hash}`)
  })
})

describe('the date', () => {
  const stated = (name: string, day: number) => `<${name}>2026-11-${day}T00:00:00Z</${name}>`
  test.each([
    ['of RSS', itemOf(stated('pubDate', 11)), '2026-11-11'],
    ['of publication before others', entryOf(stated('updated', 13) + stated('published', 12)), '2026-11-12'],
    ['of Dublin Core', itemOf(stated('dcterms:modified', 14) + stated('dc:date', 13)), '2026-11-13'],
    ['of issue', entryOf(stated('modified', 15) + stated('issued', 14)), '2026-11-14'],
    ['of creation', itemOf(stated('dcterms:created', 15)), '2026-11-15'],
    ['of the last change, if there is no other', entryOf(stated('updated', 16)), '2026-11-16'],
    ['of Atom within RSS', itemOf(stated('a10:updated', 17)), '2026-11-17'],
    ['that can be read', itemOf(`<pubDate>soon</pubDate>${stated('dc:date', 18)}`), '2026-11-18'],
    ['of nothing', itemOf('<pubDate>soon</pubDate>'), null],
    ['of another feed that is quoted', entryOf(`<source>${stated('updated', 19)}</source>`), null],
  ])('%s', (_, found, date) => expect(dateOf(found)).toBe(date))
})

describe('the id on the platform', () => {
  test.each([
    ['that the feed states', entryOf('<yt:videoId>dQw4w9WgXcQ</yt:videoId>'), 'youtube:dQw4w9WgXcQ'],
    ['that is no id', entryOf('<yt:videoId>../..</yt:videoId>'), null],
    ['of any other page', entryOf(''), null],
  ])('%s', (_, found, platformId) => expect(found?.platformId).toBe(platformId))

  test('in the URL of the entry', () => {
    const entry = '<entry><link href="https://youtu.be/dQw4w9WgXcQ?si=1"/></entry>'
    expect(read(atom(entry)).items[0]?.platformId).toBe('youtube:dQw4w9WgXcQ')
  })
})

describe('a feed that is cut off', () => {
  test.each([
    ['within an entry', `<rss><channel>${item('')}<item><title>Cut of`],
    ['between entries', `<rss><channel>${item('')}`],
    ['within its last tag', `<rss><channel>${item('')}</channel></rss`],
    ['within CDATA', `<rss><channel>${item('')}<item><description><![CDATA[ text </channel></rss>`],
    ['of Atom', '<feed><entry><link href="/1"/></entry>'],
    ['of RSS 1.0', '<rdf:RDF><item><link>/1</link></item>'],
  ])('%s is a failure', (_, text) => expect(() => read(text)).toThrow('SOURCE_TRUNCATED'))

  test.each([
    ['tags that are left open', `<description>a<br>b<p>c</description>${enclosure()}<pubDate>2026-11-19</pubDate>`],
    ['closing tags that nothing opened', `</p></div>${enclosure()}<pubDate>2026-11-19</pubDate>`],
    ['bare ampersands', `<title>Q&A</title>${enclosure()}<pubDate>2026-11-19</pubDate>`],
  ])('is not one with %s', (_, tags) => expect(dateOf(read(rss(`<item>${tags}</item>`)).items[0])).toBe('2026-11-19'))
})

test('a feed may have a prefix for its names', () => {
  const text =
    '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:id>1</a:id><a:link href="/1"/></a:entry></a:feed>'
  expect(read(text).items).toMatchObject([{ guid: '1', url: 'https://pod.example/1' }])
})

test('a document that is no feed is not supported', () => {
  expect(() => read('<html></html>')).toThrow('SOURCE_UNSUPPORTED')
})

describe('a feed with more entries than the limit', () => {
  const dated = (day: number) => item(`<guid>${day}</guid><pubDate>2026-11-${`${day}`.padStart(2, '0')}</pubDate>`)
  const undated = (name: string) => item(`<guid>${name}</guid>`)
  test.each([
    ['the newest first', [4, 3, 2, 1].map(dated), ['4', '3']],
    ['the oldest first', [1, 2, 3, 4].map(dated), ['3', '4']],
    ['no order', [2, 4, 1, 3].map(dated), ['4', '3']],
    ['no dates', ['a', 'b', 'c'].map(undated), ['a', 'b']],
    ['some without dates', [undated('a'), dated(3), undated('b'), dated(2)], ['a', '3']],
  ])('and %s is listed with its newest ones', (_, items, guids) => {
    const list = read(rss(items.join('')), 2)
    expect([list.items.map(({ guid }) => guid), list.isWhole]).toEqual([guids, false])
  })

  test('may have 100,000', () => {
    const items = Array.from({ length: 100_000 }, (_, index) => `<item>${enclosure(`/${index}.mp3`)}</item>`).join('')
    const { items: kept, isWhole } = read(rss(items))
    expect([kept.length, kept[0]?.url, isWhole]).toEqual([500, 'https://pod.example/0.mp3', false])
  })
})
