import { describe, expect, test } from 'vitest'
import { readPlaylist } from '../../../container/source/transfer/playlist.ts'
import { packSegments, unpackSegments } from '../../../container/source/transfer/segment-list.ts'

const at = 'https://cdn.example/films/one/list.m3u8?token=x'
const media = (...lines: string[]) => ['#EXTM3U', '#EXT-X-TARGETDURATION:4', ...lines, '#EXT-X-ENDLIST', ''].join('\n')

function segmentsOf(text: string) {
  const playlist = readPlaylist(text, at)
  if (playlist.kind !== 'media') throw new Error('not a media playlist')
  return playlist.segments
}
const urlsOf = (text: string) => segmentsOf(text).map(({ url }) => url.replace('https://cdn.example/films/one/', ''))

describe('real playlists are accepted', () => {
  test.each([
    ['a byte order mark', `\ufeff${media('#EXTINF:4,', 'a.ts')}`, ['a.ts']],
    ['CRLF', media('#EXTINF:4,', 'a.ts').replaceAll('\n', '\r\n'), ['a.ts']],
    ['no title, no comma', media('#EXTINF:4', 'a.ts'), ['a.ts']],
    ['a title that is not ASCII', media('#EXTINF:4,Größe 🎬', 'a.ts'), ['a.ts']],
    ['comments and unknown tags', media('# hello', '#EXT-X-NEW:1', '#EXTINF:4,', 'a.ts'), ['a.ts']],
    ['tags after the last URI', media('#EXTINF:4,', 'a.ts', '#EXT-X-DISCONTINUITY'), ['a.ts']],
    ['segments longer than the target duration', media('#EXTINF:9.5,', 'a.ts'), ['a.ts']],
    ['no target duration', '#EXTM3U\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST', ['a.ts']],
    ['an initialization section without a URI', media('#EXT-X-MAP:BYTERANGE="5@0"', '#EXTINF:4,', 'a.ts'), ['a.ts']],
    ['a root-relative URI', media('#EXTINF:4,', '/b/a.ts'), ['https://cdn.example/b/a.ts']],
    ['a URI on another host', media('#EXTINF:4,', '//b.example/a.ts'), ['https://b.example/a.ts']],
    ['a URI with an apostrophe', media(`#EXT-X-MAP:URI="it's.mp4"`, '#EXTINF:4,', "b's.ts"), ['it%27s.mp4', "b's.ts"]],
  ])('%s', (_description, text, urls) => expect(urlsOf(text)).toEqual(urls))
})

test('a range without an offset starts at the end of the previous one', () => {
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

test('an initialization section is repeated only when it changes', () => {
  const text = media(
    ...['#EXT-X-MAP:URI="one.mp4"', '#EXTINF:4,', 'a.m4s', '#EXTINF:4,', 'b.m4s'],
    ...['#EXT-X-DISCONTINUITY', '#EXT-X-MAP:URI="one.mp4"', '#EXTINF:4,', 'c.m4s'],
    ...['#EXT-X-DISCONTINUITY', '#EXT-X-MAP:URI="two.mp4"', '#EXTINF:4,', 'd.m4s'],
  )
  expect(urlsOf(text)).toEqual(['one.mp4', 'a.m4s', 'b.m4s', 'c.m4s', 'two.mp4', 'd.m4s'])
})

test('a key whose URI has an apostrophe keeps its IV', () => {
  const text = media(`#EXT-X-KEY:METHOD=AES-128,URI="it's.key",IV=0x${'0a'.repeat(16)}`, '#EXTINF:4,', 'a.ts')
  expect(segmentsOf(text)[0]?.key).toEqual({
    url: 'https://cdn.example/films/one/it%27s.key',
    iv: new Uint8Array(16).fill(10),
  })
})

test('the highest variant is the one with the highest bandwidth, except I-frame variants', () => {
  const text = [
    ...['#EXTM3U', '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9000000,URI="stills.m3u8"'],
    ...['#EXT-X-STREAM-INF:BANDWIDTH=100000', 'low.m3u8', '#EXT-X-STREAM-INF:BANDWIDTH=800000', 'high.m3u8', ''],
  ].join('\n')
  expect(readPlaylist(text, at)).toEqual({ kind: 'master', highestUrl: 'https://cdn.example/films/one/high.m3u8' })
})

test('of thousands of variants the highest is found, among tags that the parser would compare with each', () => {
  const other = '#EXT-X-SESSION-KEY:METHOD=AES-128,URI="k"\n #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n"\n'.repeat(
    25_000,
  )
  const variants = '#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=1x1\na.m3u8\n'.repeat(25_000)
  const text = `#EXTM3U\n${other}${variants} #EXT-X-STREAM-INF:AVERAGE-BANDWIDTH=1, BANDWIDTH=2\n\n# x\nb.m3u8\n`
  expect(readPlaylist(text, at)).toEqual({ kind: 'master', highestUrl: 'https://cdn.example/films/one/b.m3u8' })
})

test.each([
  ['only variants of stills', '#EXTM3U\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="a"\n'],
  ['a variant without a URI', '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n'],
  ['a variant with a URL of 20,000 characters', `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${'a'.repeat(20_000)}\n`],
  ['a segment with a URL of 20,000 characters', media('#EXTINF:4,', 'a'.repeat(20_000))],
  [
    'an initialization section with a URL of 20,000 characters',
    media(`#EXT-X-MAP:URI="${'a'.repeat(20_000)}"`, '#EXTINF:4,', 'a'),
  ],
  ['URLs of more than 65 million characters', media(`#EXTINF:4,\n${'a'.repeat(16_000)}\n`.repeat(4_100))],
])('a playlist with %s is unsupported', (_description, text) => {
  expect(() => readPlaylist(text, at)).toThrow('SOURCE_UNSUPPORTED')
})

describe('a playlist with numbers that cannot be used is unsupported', () => {
  test.each([
    ['a negative byte range', '#EXT-X-BYTERANGE:-5@0'],
    ['a fractional byte range', '#EXT-X-BYTERANGE:0.5@0'],
    ['a byte range at a fractional offset', '#EXT-X-BYTERANGE:5@0.5'],
    ['an empty byte range', '#EXT-X-BYTERANGE:0@0'],
    ['a byte range above 2^53', '#EXT-X-BYTERANGE:99999999999999999999@0'],
    ['a negative byte range of the initialization section', '#EXT-X-MAP:URI="i.mp4",BYTERANGE="-5@0"'],
    ['a short IV', '#EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x0102'],
    ['a long IV', `#EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x${'01'.repeat(17)}`],
    ['a fractional sequence number with a key', '#EXT-X-MEDIA-SEQUENCE:0.5\n#EXT-X-KEY:METHOD=AES-128,URI="k"'],
    ['a negative sequence number with a key', '#EXT-X-MEDIA-SEQUENCE:-1\n#EXT-X-KEY:METHOD=AES-128,URI="k"'],
    [
      'a sequence number above 2^64 with a key',
      '#EXT-X-MEDIA-SEQUENCE:18446744073709551617\n#EXT-X-KEY:METHOD=AES-128,URI="k"',
    ],
  ])('%s', (_description, tags) => {
    expect(() => readPlaylist(media(tags, '#EXTINF:4,', 'a.ts'), at)).toThrow('SOURCE_UNSUPPORTED')
  })
})

test('a playlist of more than 130,000 segments or 500,000 lines is unsupported', () => {
  expect(() => readPlaylist(media('#EXTINF:1,\na.ts\n'.repeat(130_001)), at)).toThrow('SOURCE_UNSUPPORTED')
  expect(() => readPlaylist(media('\n'.repeat(500_000), '#EXTINF:1,', 'a.ts'), at)).toThrow('SOURCE_UNSUPPORTED')
})

test('packed segments are the same after unpacking, and can be iterated twice', () => {
  const segments = segmentsOf(
    media(
      ...['#EXT-X-MAP:URI="all.mp4",BYTERANGE="100@0"', '#EXTINF:4,', '#EXT-X-BYTERANGE:50@100', 'all.mp4'],
      ...['#EXT-X-KEY:METHOD=AES-128,URI="one.key"', '#EXTINF:4,', 'a.ts', '#EXTINF:4,', 'b.ts'],
      ...[`#EXT-X-KEY:METHOD=AES-128,URI="two.key",IV=0x${'0a'.repeat(16)}`, '#EXTINF:4,', 'c.ts'],
    ),
  )
  const unpacked = unpackSegments(packSegments(segments))
  expect([...unpacked]).toEqual(segments)
  expect([...unpacked]).toEqual(segments)
})

test('a playlist of more than 10,000 keys is unsupported', () => {
  const withKeys = (count: number) =>
    segmentsOf(
      media(...Array.from({ length: count }, (_, i) => `#EXT-X-KEY:METHOD=AES-128,URI="${i}"\n#EXTINF:4,\n${i}.ts`)),
    )
  expect(packSegments(withKeys(10_000)).keyUrls).toHaveLength(10_000)
  expect(() => packSegments(withKeys(10_001))).toThrow('SOURCE_UNSUPPORTED')
})
