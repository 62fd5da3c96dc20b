import fc from 'fast-check'
import { test } from 'vitest'
import { readPackedPlaylist } from '../../../../../container/source/transfer/playlist.ts'
import { maxSegments, unpackSegments } from '../../../../../container/source/transfer/segment-list.ts'
import { runs } from '../../../../support/runs.ts'
import {
  type Budget,
  growsLinearly,
  hostileNumber,
  mutationsOf,
  once,
  type Part,
  partsOf,
  repeated,
  samplesOf,
  textOf,
  within,
} from '../../hostile-input.ts'

const url = 'https://cdn.example/films/list.m3u8?token=x'

/** Reads a playlist as the reader process does, and checks what every list of segments promises. */
const read = (text: string): void => {
  const playlist = readPackedPlaylist(text, url)
  if (playlist.kind === 'master') {
    if (!URL.canParse(playlist.highestUrl)) throw new Error(`a variant at ${playlist.highestUrl}`)
    return
  }
  let count = 0
  for (const { url, range, key } of unpackSegments(playlist.segments)) {
    count++
    if (!URL.canParse(url)) throw new Error(`a segment at ${url}`)
    if (key && !(URL.canParse(key.url) && key.iv.length === 16)) throw new Error(`a key at ${key.url}`)
    const numbers = range ? [range.offset, range.length] : []
    if (!numbers.every((each) => Number.isSafeInteger(each) && each >= 0)) throw new Error(`a range of ${numbers}`)
  }
  if (count === 0 || count > maxSegments) throw new Error(`${count} segments`)
}

const fragments = [
  ...['#EXTM3U\n', '\n', '\r\n', '#EXT-X-ENDLIST\n', '#EXT-X-VERSION:7\n', '#EXT-X-TARGETDURATION:4\n'],
  ...['#EXT-X-GAP\n', '#EXT-X-MAP:BYTERANGE="5@0"\n', '#EXT-X-KEY:URI="k"\n', ' #EXT-X-STREAM-INF:\n'],
  ...['#EXTINF:4,\n', '#EXTINF:4,a title\n', 'a#n.ts\n', 'https://b.example/a.ts\n', '#EXT-X-BYTERANGE:#n@0\n'],
  ...['#EXT-X-BYTERANGE:5\n', '#EXT-X-MAP:URI="i#n.mp4",BYTERANGE="5@0"\n'],
  ...['#EXT-X-KEY:METHOD=AES-128,URI="k#n",IV=0x', '#EXT-X-KEY:METHOD=AES-128,URI="k#n"\n'],
  ...['#EXT-X-KEY:METHOD=NONE\n', '#EXT-X-DISCONTINUITY\n', '#EXT-X-MEDIA-SEQUENCE:#n\n'],
  ...['#EXT-X-DISCONTINUITY-SEQUENCE:1\n', '#EXT-X-STREAM-INF:BANDWIDTH=#n,AUDIO="a#n",CODECS="avc1"\n'],
  '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a#n",NAME="n#n",URI="u"\n',
  ...['#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="u"\n', '#EXT-X-SESSION-KEY:METHOD=AES-128,URI="k"\n'],
  '#EXT-X-SESSION-DATA:DATA-ID="d#n",VALUE="v"\n',
  '#EXT-X-DATERANGE:ID="#n",START-DATE="2026-01-01T00:00:00Z"\n',
  ...['#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z\n', '#EXT-X-PART:DURATION=1,URI="p#n",BYTERANGE="5@0"\n'],
  ...['#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p"\n', '#EXT-X-RENDITION-REPORT:URI="r#n"\n'],
  ...['#EXT-X-SKIP:SKIPPED-SEGMENTS=#n\n', '#EXT-X-CUE-OUT:DURATION=1\n', '#EXT-X-CUE-IN\n', '#EXT-X-BITRATE:1\n'],
  ...['#EXT-X-DEFINE:NAME="a",VALUE="b"\n', '#EXT-X-PREFETCH:p\n', '#EXT-X-START:TIME-OFFSET=1\n'],
  ...['#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES\n', '#EXT-X-PART-INF:PART-TARGET=1\n', '#EXT', ':', ',', '=', '"'],
  ...['@', "'", 'a', '#EXT-X-CONTENT-STEERING:SERVER-URI="s"\n', '#EXT-X-OATCLS-SCTE35:x\n', '#EXT-X-ASSET:A=1\n'],
]

const segment = '#EXTINF:1,\na#n.ts\n'
const start = '#EXTM3U\n#EXT-X-TARGETDURATION:4\n'
const media = (...parts: Part[]): Part[] => [once(start), ...parts, once('#EXT-X-ENDLIST\n')]
const master = (...parts: Part[]): Part[] => [once('#EXTM3U\n'), ...parts]

const suspects: Record<string, Part[]> = {
  segments: media(repeated(segment)),
  'the same segment': media(repeated('#EXTINF:1,\na.ts\n')),
  'a long initialization section of many segments': media(
    once('#EXT-X-MAP:URI="'),
    repeated('a'),
    once('"\n'),
    repeated(segment),
  ),
  'a long key of many segments': media(
    once('#EXT-X-KEY:METHOD=AES-128,URI="'),
    repeated('a'),
    once('"\n'),
    repeated(segment),
  ),
  'a long IV of many segments': media(
    once('#EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x'),
    repeated('0'),
    once('\n'),
    repeated(segment),
  ),
  'a key for each segment': media(repeated(`#EXT-X-KEY:METHOD=AES-128,URI="k#n"\n${segment}`)),
  'an initialization section for each segment': media(repeated(`#EXT-X-MAP:URI="i#n"\n${segment}`)),
  'ranges of one file': media(repeated('#EXTINF:1,\n#EXT-X-BYTERANGE:5@#n\na.ts\n')),
  'ranges that follow each other': media(
    once('#EXTINF:1,\n#EXT-X-BYTERANGE:5@0\na.ts\n'),
    repeated('#EXTINF:1,\n#EXT-X-BYTERANGE:5\na.ts\n'),
  ),
  'ranges of two files that take turns': media(
    repeated('#EXTINF:1,\n#EXT-X-BYTERANGE:5@#n\na.ts\n#EXTINF:1,\n#EXT-X-BYTERANGE:5@#n\nb.ts\n'),
  ),
  'a date range for each segment': media(
    repeated(`#EXT-X-DATERANGE:ID="#n",START-DATE="2026-01-01T00:00:00Z"\n${segment}`),
  ),
  'the same date range again': media(repeated('#EXT-X-DATERANGE:ID="a",CLASS="b"\n'), once(segment)),
  'a long attribute of one tag': media(once('#EXT-X-KEY:METHOD=NONE,X="'), repeated('a'), once(`"\n${segment}`)),
  'a part for each segment': media(repeated(`#EXT-X-PART:DURATION=1,URI="p#n"\n${segment}`)),
  'parts of one segment': media(repeated('#EXT-X-PART:DURATION=1,URI="p#n"\n'), once(segment)),
  'a program date for each segment': media(repeated(`#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z\n${segment}`)),
  discontinuities: media(repeated(`#EXT-X-DISCONTINUITY\n${segment}`)),
  'marks of advertisements': media(
    repeated(`#EXT-X-CUE-OUT:DURATION=1\n${segment}#EXT-X-CUE-IN\n`),
    repeated('#EXT-X-ASSET:A=1\n'),
  ),
  'rendition reports': media(repeated('#EXT-X-RENDITION-REPORT:URI="r#n"\n'), repeated(segment)),
  'preload hints': media(repeated('#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p"\n'), repeated(segment)),
  'prefetched segments': media(repeated('#EXT-X-PREFETCH:p#n\n')),
  'skipped segments': media(repeated('#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n'), repeated(segment)),
  'unknown tags': media(repeated('#EXT-X-NEW#n:1\n'), once(segment)),
  comments: media(repeated('# x\n'), once(segment)),
  'one line': media(once('#EXT-X-NEW:'), repeated('a'), once(`\n${segment}`)),
  'attributes of one tag': media(once('#EXT-X-MAP:URI="i"'), repeated(',A#n="b"'), once(`\n${segment}`)),
  'commas of one tag': media(once('#EXT-X-MAP:URI="i"'), repeated(','), once(`\n${segment}`)),
  'quotes of one tag': media(once('#EXT-X-MAP:URI="i",A='), repeated('"'), once(`\n${segment}`)),
  apostrophes: media(once('#EXT-X-MAP:URI="'), repeated("'"), once(`"\n${segment}`)),
  'a long title': media(once('#EXTINF:1,'), repeated('ä'), once('\na.ts\n')),
  'a long byte range': media(once('#EXTINF:1,\n#EXT-X-BYTERANGE:'), repeated('1'), once('@0\na.ts\n')),
  'dots in the path of a segment': media(once('#EXTINF:1,\n'), repeated('a/../'), once('a.ts\n')),
  variants: master(repeated('#EXT-X-STREAM-INF:BANDWIDTH=#n\nv#n.m3u8\n')),
  'variants and renditions': master(
    repeated('#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a#n",NAME="n#n",URI="u"\n'),
    repeated('#EXT-X-STREAM-INF:BANDWIDTH=#n,AUDIO="a#n"\nv#n.m3u8\n'),
  ),
  'renditions of one group': master(
    repeated('#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n#n",URI="u"\n'),
    once('#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"\nv.m3u8\n'),
  ),
  'variants and other tags': master(
    repeated('#EXT-X-DEFINE:NAME="a#n",VALUE="b"\n'),
    repeated('#EXT-X-STREAM-INF:BANDWIDTH=#n\nv#n.m3u8\n'),
  ),
  'variants and comments': master(repeated('# x\n'), repeated('#EXT-X-STREAM-INF:BANDWIDTH=#n\nv#n.m3u8\n')),
  'variants and session keys': master(
    repeated('#EXT-X-SESSION-KEY:METHOD=AES-128,URI="k#n"\n'),
    repeated('#EXT-X-STREAM-INF:BANDWIDTH=#n\nv#n.m3u8\n'),
  ),
  'variants and session data': master(
    repeated('#EXT-X-SESSION-DATA:DATA-ID="d#n",VALUE="v"\n'),
    repeated('#EXT-X-STREAM-INF:BANDWIDTH=#n\nv#n.m3u8\n'),
  ),
  'variants of stills': master(
    repeated('#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=#n,URI="u#n"\n'),
    once('#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n'),
  ),
}

test.each(Object.entries(suspects))('%s: twice as many take twice as long', (_title, parts) =>
  growsLinearly(parts, read),
)

/** Measured: at most 40 operations for each character, and 1,700 for the smallest playlist. */
const budget: Budget = { each: 80, fixed: 4_000 }

test('any text is read or refused within the budget', () => {
  fc.assert(
    fc.property(textOf(fragments), (text) => {
      within(budget, text.length, () => read(`#EXTM3U\n${text}`))
    }),
    runs(75),
  )
})

test('any number in any place is read or refused within the budget', () => {
  const lines = fc.array(
    fc.tuple(fc.constantFrom(...fragments.map((each) => each.replaceAll(/#n|\d+/g, '§'))), hostileNumber),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(lines, (some) => {
      const text = some.map(([line, number]) => line.replaceAll('§', number)).join('')
      within(budget, text.length, () => read(`${start}${text}${segment}#EXT-X-ENDLIST`))
    }),
    runs(75),
  )
})

test('any change of a valid playlist is read or refused within the budget', () => {
  fc.assert(
    fc.property(mutationsOf(samplesOf(suspects)), (bytes) => {
      within(budget, bytes.length, () => read(Buffer.from(bytes).toString('utf8')))
    }),
    runs(75),
  )
})

test('any text of parts that repeat takes linear time', () => {
  fc.assert(
    fc.property(partsOf(fragments), (parts) => growsLinearly([once(start), ...parts], read)),
    runs(20),
  )
})
