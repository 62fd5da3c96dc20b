import { describe, expect, test } from 'vitest'
import { readPlaylist } from '../../container/source/transfer/playlist.ts'

const at = 'https://cdn.example/films/one/list.m3u8?token=x'
const media = (...lines: string[]) => ['#EXTM3U', '#EXT-X-TARGETDURATION:4', ...lines, '#EXT-X-ENDLIST', ''].join('\n')

function segmentsOf(text: string) {
  const playlist = readPlaylist(text, at)
  if (playlist.kind !== 'media') throw new Error('not a media playlist')
  return playlist.segments
}
const urlsOf = (text: string) => segmentsOf(text).map(({ url }) => url.replace('https://cdn.example/films/one/', ''))

describe('what is out there is read', () => {
  test.each([
    ['a byte order mark', `\ufeff${media('#EXTINF:4,', 'a.ts')}`, ['a.ts']],
    ['CRLF', media('#EXTINF:4,', 'a.ts').replaceAll('\n', '\r\n'), ['a.ts']],
    ['no title, no comma', media('#EXTINF:4', 'a.ts'), ['a.ts']],
    ['a title beyond ASCII', media('#EXTINF:4,Größe 🎬', 'a.ts'), ['a.ts']],
    ['comments and unknown tags', media('# hello', '#EXT-X-NEW:1', '#EXTINF:4,', 'a.ts'), ['a.ts']],
    ['tags after the last address', media('#EXTINF:4,', 'a.ts', '#EXT-X-DISCONTINUITY'), ['a.ts']],
    ['longer segments than announced', media('#EXTINF:9.5,', 'a.ts'), ['a.ts']],
    ['no target duration', '#EXTM3U\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST', ['a.ts']],
    ['a root-relative address', media('#EXTINF:4,', '/b/a.ts'), ['https://cdn.example/b/a.ts']],
    ['an address of another host', media('#EXTINF:4,', '//b.example/a.ts'), ['https://b.example/a.ts']],
    [
      'an address with an apostrophe',
      media(`#EXT-X-MAP:URI="it's.mp4"`, '#EXTINF:4,', "b's.ts"),
      ['it%27s.mp4', "b's.ts"],
    ],
  ])('%s', (_what, text, urls) => expect(urlsOf(text)).toEqual(urls))
})

test('ranges go on where the one before ended', () => {
  const text = media(
    ...['#EXT-X-MAP:URI="all.mp4",BYTERANGE="100"', '#EXTINF:4,', '#EXT-X-BYTERANGE:50@100', 'all.mp4'],
    ...['#EXTINF:4,', '#EXT-X-BYTERANGE:70', 'all.mp4'],
  )
  expect(segmentsOf(text).map(({ range }) => range)).toEqual([
    { offset: 0, length: 100 },
    { offset: 100, length: 50 },
    { offset: 150, length: 70 },
  ])
})

test('an initialization section comes again only when it changes', () => {
  const text = media(
    ...['#EXT-X-MAP:URI="one.mp4"', '#EXTINF:4,', 'a.m4s', '#EXTINF:4,', 'b.m4s'],
    ...['#EXT-X-DISCONTINUITY', '#EXT-X-MAP:URI="one.mp4"', '#EXTINF:4,', 'c.m4s'],
    ...['#EXT-X-DISCONTINUITY', '#EXT-X-MAP:URI="two.mp4"', '#EXTINF:4,', 'd.m4s'],
  )
  expect(urlsOf(text)).toEqual(['one.mp4', 'a.m4s', 'b.m4s', 'c.m4s', 'two.mp4', 'd.m4s'])
})

test('a key whose address has an apostrophe keeps its IV', () => {
  const text = media(`#EXT-X-KEY:METHOD=AES-128,URI="it's.key",IV=0x${'0a'.repeat(16)}`, '#EXTINF:4,', 'a.ts')
  expect(segmentsOf(text)[0]?.key).toEqual({
    url: 'https://cdn.example/films/one/it%27s.key',
    iv: new Uint8Array(16).fill(10),
  })
})

test('the highest variant is the one with most bits, never one of stills', () => {
  const text = [
    ...['#EXTM3U', '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9000000,URI="stills.m3u8"'],
    ...['#EXT-X-STREAM-INF:BANDWIDTH=100000', 'low.m3u8', '#EXT-X-STREAM-INF:BANDWIDTH=800000', 'high.m3u8', ''],
  ].join('\n')
  expect(readPlaylist(text, at)).toEqual({ kind: 'master', highestUrl: 'https://cdn.example/films/one/high.m3u8' })
})

test.each([
  ['nothing but commas', `#EXT-X-MAP:${','.repeat(1_000_000)}`],
  ['a line of ten megabytes', `#EXT-X-KEY:METHOD=NONE,X="${'a'.repeat(10_000_000)}"`],
  [
    'a hundred thousand date ranges',
    '#EXT-X-DATERANGE:ID="a",CLASS="b",START-DATE="2026-01-01T00:00:00Z"\n'.repeat(100_000),
  ],
  ['a hundred thousand segments', '#EXTINF:1,\nx.ts\n'.repeat(100_000)],
])('%s does not hold up anything', (_what, lines) => {
  const before = process.cpuUsage()
  segmentsOf(media(lines, '#EXTINF:4,', 'a.ts'))
  // Not by the clock: the machine has other things to do.
  const { user, system } = process.cpuUsage(before)
  expect(user + system).toBeLessThan(5_000_000)
})

test('a master of thousands of variants is no master', () => {
  const text = `#EXTM3U\n${'#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=1x1\na.m3u8\n'.repeat(25_000)}`
  expect(() => readPlaylist(text, at)).toThrow(expect.objectContaining({ code: 'SOURCE_UNSUPPORTED' }))
})
