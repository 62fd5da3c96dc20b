import { describe, expect, test } from 'vitest'
import { readFeed } from '../../../../container/source/list/read-feed.ts'

const url = 'https://pod.example/feeds/show.xml'
const bytesOf = (text: string, encoding: BufferEncoding = 'utf8') => new Uint8Array(Buffer.from(text, encoding))
const read = (text: string | Uint8Array, contentType: string | null = null, limit = 500) =>
  readFeed({ bytes: typeof text === 'string' ? bytesOf(text) : text, contentType, url }, limit)
const rss = (items: string, channel = '<title>A show</title>') =>
  `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>${channel}${items}</channel></rss>`
const atom = (entries: string, attributes = '') =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><title>A show</title>${entries}</feed>`
const enclosure = (address = 'https://cdn.example/1.mp3', type = 'audio/mpeg') =>
  `<enclosure url="${address}" type="${type}" length="1"/>`
const urlsOf = (text: string) => read(text).items.map((item) => item.url)
const titleOf = (title: string) => read(rss(`<item>${title}${enclosure()}</item>`)).items[0]?.title
const durationOf = (tags: string) => read(rss(`<item>${tags}${enclosure()}</item>`)).items[0]?.durationSeconds

test('an RSS feed has the title of its channel, and its episodes in order', () => {
  const channel = '<title>A show</title><image><title>A logo</title><url>logo.png</url></image>'
  const items = [1, 2].map(
    (i) => `<item><title>Episode ${i}</title>${enclosure(`https://cdn.example/${i}.mp3`)}
      <itunes:title>Other ${i}</itunes:title><itunes:duration>1:00</itunes:duration><link>https://pod.example/${i}</link></item>`,
  )
  expect(read(rss(items.join('\n'), channel))).toEqual({
    title: 'A show',
    count: 2,
    items: [
      { url: 'https://cdn.example/1.mp3', title: 'Episode 1', durationSeconds: 60 },
      { url: 'https://cdn.example/2.mp3', title: 'Episode 2', durationSeconds: 60 },
    ],
  })
})

test('an Atom feed has its enclosure links', () => {
  const entry = `<entry><title type="text">One</title><link rel="alternate" href="/one.html"/>
    <link rel="enclosure" type="video/mp4" href="/one.mp4"/><link rel="enclosure" href="/one.webm" type="video/webm"/></entry>`
  expect(read(atom(entry)).items).toEqual([{ url: 'https://pod.example/one.mp4', title: 'One', durationSeconds: null }])
})

test('a feed without media files, such as that of a channel, lists its pages', () => {
  const entry = `<entry><title>A film</title><link rel="alternate" href="https://video.example/watch?v=1"/>
    <media:group><media:content url="https://video.example/v/1" type="application/x-shockwave-flash"/>
    <media:thumbnail url="https://i.example/1.jpg"/></media:group></entry>`
  expect(urlsOf(atom(entry))).toEqual(['https://video.example/watch?v=1'])
  expect(urlsOf(rss('<item><title>A film</title><link>https://video.example/2</link></item>'))).toEqual([
    'https://video.example/2',
  ])
})

test('titles have no control characters, and none that change the direction of the text around them', () => {
  const title = '<title>A\u202e film&#x7;&#x9b;, \u2066twice</title>'
  const { title: ofFeed, items } = read(rss(`<item>${title}${enclosure()}</item>`, title))
  expect([ofFeed, items[0]?.title]).toEqual(['A film  , twice', 'A film  , twice'])
})

describe('the file of an episode', () => {
  test.each([
    ['an image', enclosure('https://cdn.example/1.jpg', 'image/jpeg')],
    ['an image without a type', enclosure('https://cdn.example/1.jpg?size=2', '')],
    ['a document', enclosure('https://cdn.example/1.pdf', 'application/pdf')],
    ['a transcript', enclosure('https://cdn.example/1.vtt', 'text/vtt')],
    ['a torrent', enclosure('https://cdn.example/1.torrent', 'application/x-bittorrent')],
    ['nothing', '<link>https://pod.example/1</link>'],
  ])('is not %s, and a podcast has no episodes without one', (_, tags) => {
    const items = `<item>${tags}</item><item>${enclosure('https://cdn.example/2.mp3')}</item>`
    expect(urlsOf(rss(items))).toEqual(['https://cdn.example/2.mp3'])
  })

  test.each([
    ['no type', enclosure('https://cdn.example/1.mp3', '')],
    ['a general type', enclosure('https://cdn.example/play/1', 'application/octet-stream')],
    ['a type in capitals', enclosure('https://cdn.example/1', 'AUDIO/MPEG')],
    ['a media:content', '<media:content url="https://cdn.example/1" type="audio/mpeg" duration="90"/>'],
    ['a media:group', '<media:group><media:content url="https://cdn.example/1" type="video/mp4"/></media:group>'],
    [
      'several, of which the first media file counts',
      enclosure('a.jpg', 'image/jpeg') + enclosure() + enclosure('b.mp3'),
    ],
  ])('may have %s', (_, tags) => expect(urlsOf(rss(`<item>${tags}</item>`))).toHaveLength(1))

  test.each([
    ['/a.mp3', 'https://pod.example/a.mp3'],
    ['a b.mp3', 'https://pod.example/feeds/a%20b.mp3'],
    ['//cdn.example/a.mp3', 'https://cdn.example/a.mp3'],
    ['https://cdn.example/a.mp3?x=1&amp;y=2', 'https://cdn.example/a.mp3?x=1&y=2'],
    ['https://cdn.example/a.mp3?x=1&y=2', 'https://cdn.example/a.mp3?x=1&y=2'],
    ['https://cdn.example/a.mp3?x=1&amp;amp;y=2', 'https://cdn.example/a.mp3?x=1&y=2'],
    [' \n https://cdn.example/a.mp3 \n', 'https://cdn.example/a.mp3'],
    ['https://cdn.example/&#x65;.mp3', 'https://cdn.example/e.mp3'],
  ])('at %j is at %s', (address, expected) => {
    expect(urlsOf(rss(`<item>${enclosure(address)}</item>`))).toEqual([expected])
  })

  test('is relative to xml:base', () => {
    const entry = '<entry><link rel="enclosure" type="audio/mpeg" href="a.mp3"/></entry>'
    expect(urlsOf(atom(entry, 'xml:base="https://cdn.example/audio/"'))).toEqual(['https://cdn.example/audio/a.mp3'])
  })

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:audio/mpeg;base64,AAAA',
    'ftp://cdn.example/a.mp3',
    'https://me:secret@cdn.example/a.mp3',
    'https://',
    `https://cdn.example/${'a'.repeat(5_000)}`,
    '',
  ])('at %j is left out, because a request with that URL would be refused', (address) => {
    const items = `<item>${enclosure(address)}</item><item>${enclosure()}</item>`
    expect(urlsOf(rss(items))).toEqual(['https://cdn.example/1.mp3'])
  })

  test('that repeats is listed once', () => {
    const { count, items } = read(rss(`<item><title>One</title>${enclosure()}</item><item>${enclosure()}</item>`))
    expect([count, items.map(({ title }) => title)]).toEqual([1, ['One']])
  })
})

describe('a title', () => {
  test.each([
    ['<title>Plain</title>', 'Plain'],
    ['<title><![CDATA[One & <two>]]></title>', 'One & <two>'],
    ['<title>Caf&eacute; &amp; bar &#8211; a&nbsp;b</title>', 'Café & bar – a b'],
    ['<title>AT&amp;amp;T</title>', 'AT&T'],
    ['<title>AT&T, Q&A</title>', 'AT&T, Q&A'],
    ['<title>\n  Two\n  lines </title>', 'Two lines'],
    ['<title type="xhtml"><div xmlns="x">In <b>bold</b></div></title>', 'In bold'],
    ['<media:title>Other</media:title>', null],
    ['<title></title>', null],
    ['', null],
    [`<title>${'a'.repeat(600)}</title>`, 'a'.repeat(500)],
  ])('%s', (tag, expected) => expect(titleOf(tag)).toBe(expected))
})

describe('a duration', () => {
  test.each([
    ['<itunes:duration>3723</itunes:duration>', 3723],
    ['<itunes:duration>1:02:03</itunes:duration>', 3723],
    ['<itunes:duration>62:03</itunes:duration>', 3723],
    ['<itunes:duration> 00:01.5 </itunes:duration>', 1.5],
    ['<itunes:duration><![CDATA[90]]></itunes:duration>', 90],
    ['<itunes:duration>0</itunes:duration>', null],
    ['<itunes:duration>about an hour</itunes:duration>', null],
    ['<itunes:duration>1:2:3:4</itunes:duration>', null],
    ['<itunes:duration>-5</itunes:duration>', null],
    ['', null],
  ])('%s is %s', (tag, expected) => expect(durationOf(tag)).toBe(expected))
})

describe('the encoding', () => {
  const declared = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?><rss><channel><title>Größe</title></channel></rss>`
  const mark = (text: string) => bytesOf(`\ufeff${text}`, 'utf16le')
  test.each([
    ['UTF-8 without a declaration', bytesOf('<rss><channel><title>Größe</title></channel></rss>'), null],
    ['what the feed declares', bytesOf(declared('ISO-8859-1'), 'latin1'), null],
    ['what the Content-Type says', bytesOf(declared('utf-8'), 'latin1'), 'text/xml; charset="windows-1252"'],
    ['what the byte order mark says', mark(declared('utf-8')), 'text/xml; charset=utf-8'],
    ['UTF-16 of the other order', new Uint8Array(Buffer.from(mark(declared('utf-16'))).swap16()), null],
    ['UTF-8 if the name is unknown', bytesOf(declared('klingon')), null],
  ])('is %s', (_, bytes, contentType) => expect(read(bytes, contentType).title).toBe('Größe'))

  test('may be an older one of East Asia', () => {
    const title = new Uint8Array([0x93, 0xfa, 0x96, 0x7b])
    const [head, tail] = declared('Shift_JIS')
      .split('Größe')
      .map((part) => bytesOf(part))
    expect(read(Buffer.concat([head ?? title, title, tail ?? title])).title).toBe('日本')
  })
})

describe('a feed that is not well-formed', () => {
  test.each([
    ['has tags that are never closed', `<item><description>a<br>b<p>c</description>${enclosure()}</item>`],
    ['has control characters', `<item><title>a\u0001b</title>${enclosure()}</item>`],
    ['has attributes without quotes', '<item><enclosure url=https://cdn.example/1.mp3 type=audio/mpeg></item>'],
    [
      'has a script',
      `<item><description><script>if (a < b) </item></script></description></item><item>${enclosure()}</item>`,
    ],
    ['has bare angle brackets', `<item><title>1 < 2 and 3 > 2</title>${enclosure()}</item>`],
  ])('%s, and is read', (_, items) => expect(urlsOf(rss(items))).toEqual(['https://cdn.example/1.mp3']))

  test('ends early, and what is complete is read', () => {
    expect(urlsOf(`<rss><channel><item>${enclosure()}</item><item><title>Cut of`)).toEqual([
      'https://cdn.example/1.mp3',
    ])
  })
})

describe('a hostile feed', () => {
  test('declares entities of entities, which are not expanded', () => {
    const entities = Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(20)}">`).join('')
    const bomb = `<!DOCTYPE rss [<!ENTITY e0 "lol">${entities}]><rss><channel><title>&e20;</title></channel></rss>`
    expect(read(bomb).title).toBe('&e20;')
  })

  test('declares an entity of a file, which is not read', () => {
    const doctype = '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    expect(read(`${doctype}<rss><channel><title>&x;</title></channel></rss>`).title).toBe('&x;')
  })

  test('nests more than 300 tags, and is refused', () => {
    expect(() => read(`<rss>${'<a>'.repeat(300)}`)).toThrow('too deep')
  })

  test('has the names of properties that every object has', () => {
    const tags = '<constructor/><__proto__ toString="1"/><hasOwnProperty>x</hasOwnProperty>'
    expect(urlsOf(rss(`<item>${tags}${enclosure()}</item>`))).toEqual(['https://cdn.example/1.mp3'])
  })
})

test('no more items than the limit are listed, and all are counted', () => {
  const items = Array.from({ length: 600 }, (_, i) => `<item>${enclosure(`/${i}.mp3`)}</item>`).join('')
  const list = read(rss(items), null, 500)
  expect([list.count, list.items.length, list.items.at(-1)?.url]).toEqual([600, 500, 'https://pod.example/499.mp3'])
})

describe('transcripts and chapters that a feed names', () => {
  const linkedOf = (tags: string) => read(rss(`<item>${tags}${enclosure()}</item>`)).items[0]?.linked
  const transcript = (address: string, type: string, more = '') =>
    `<podcast:transcript url="${address}" type="${type}" ${more}/>`

  test('are those of their item, the best format first, with their language', () => {
    const tags =
      transcript('/1.html', 'text/html') +
      transcript('https://cdn.example/1.json', 'application/json', 'language="de"') +
      transcript('/1.srt', 'application/x-subrip', 'language="en-US" rel="captions"') +
      transcript('1.vtt', 'text/vtt; charset=utf-8') +
      '<podcast:chapters url="/1.chapters.json" type="application/json+chapters"/>'
    expect(linkedOf(tags)).toEqual({
      transcripts: [
        { url: 'https://pod.example/feeds/1.vtt', format: 'vtt', language: null },
        { url: 'https://pod.example/1.srt', format: 'srt', language: 'en-US' },
        { url: 'https://cdn.example/1.json', format: 'json', language: 'de' },
        { url: 'https://pod.example/1.html', format: 'html', language: null },
      ],
      chapters: 'https://pod.example/1.chapters.json',
    })
    expect(
      read(rss(`<item>${tags}${enclosure()}</item><item>${enclosure('/2.mp3')}</item>`)).items[1],
    ).not.toHaveProperty('linked')
  })

  test('are recognized by their names where the type says nothing', () => {
    expect(linkedOf(transcript('/1.SRT?a=1', 'text/plain'))?.transcripts).toMatchObject([{ format: 'srt' }])
    expect(linkedOf(transcript('/1.txt', 'text/plain'))).toBeUndefined()
  })

  test('are left out if a request with their URL would be refused, and are limited', () => {
    expect(
      linkedOf(transcript('ftp://pod.example/1.vtt', 'text/vtt') + transcript('http://u:p@pod.example/', 'text/vtt')),
    ).toBeUndefined()
    const many = Array.from({ length: 200 }, (_, i) => transcript(`/${'x'.repeat(400)}${i}`, 'text/vtt')).join('')
    const kept = linkedOf(many)?.transcripts ?? []
    expect(JSON.stringify(kept).length).toBeLessThan(5_000)
    expect(kept.length).toBeGreaterThan(5)
  })
})
