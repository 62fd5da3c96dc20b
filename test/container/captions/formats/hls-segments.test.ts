import { expect, test } from 'vitest'
import { hlsCues } from '../../../../container/captions/formats/hls-segments.ts'
import { readCaptionSegments } from '../../../../container/captions/read.ts'

const segment = (map: string, ...cues: [string, string, string][]) =>
  `WEBVTT\n${map}\n\n${cues.map(([start, end, text]) => `${start} --> ${end}\n${text}\n`).join('\n')}`
const map = (mpegts: number, local = '00:00:00.000') => `X-TIMESTAMP-MAP=MPEGTS:${mpegts},LOCAL:${local}`
const rows = (...segments: string[]) =>
  hlsCues(segments).map(
    ({ start, end, text }) => `${Math.round(start * 1000) / 1000} ${Math.round(end * 1000) / 1000} ${text}`,
  )

const first: [string, string, string] = ['00:01.000', '00:02.000', 'one']
const second: [string, string, string] = ['00:07.000', '00:08.000', 'two']

test.each([
  ['without a header, cue times are stream times', [segment('', first), segment('', second)], ['1 2 one', '7 8 two']],
  [
    'all segments use the same clock',
    [segment(map(900_000), first), segment(map(900_000), second)],
    ['1 2 one', '7 8 two'],
  ],
  [
    'each segment starts at zero',
    [segment(map(900_000), first), segment(map(1_440_000), ['00:01.000', '00:02.000', 'two'])],
    ['1 2 one', '7 8 two'],
  ],
  [
    'each header has its own local time',
    [segment(map(900_000, '00:00:00.000'), first), segment(map(1_440_000, '00:00:06.000'), second)],
    ['1 2 one', '7 8 two'],
  ],
  [
    'the order of LOCAL and MPEGTS does not matter',
    [segment('X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000', first)],
    ['1 2 one'],
  ],
  [
    'a local clock that does not start at zero',
    [segment(map(900_000, '01:00:00.000'), ['01:00:01.000', '01:00:02.000', 'one'])],
    ['1 2 one'],
  ],
  [
    'the 33-bit clock wraps around',
    [segment(map(2 ** 33 - 90_000), first), segment(map(450_000), ['00:01.000', '00:02.000', 'two'])],
    ['1 2 one', '7 8 two'],
  ],
  [
    'the 33-bit clock wraps around twice',
    [0, 1, 2, 3, 4, 5, 6].map((turn) => segment(map((turn * 3_600_000_000) % 2 ** 33), first)),
    [0, 1, 2, 3, 4, 5, 6].map((turn) => `${turn * 40_000 + 1} ${turn * 40_000 + 2} one`),
  ],
  [
    'an empty segment without a header does not set the clock',
    ['WEBVTT\n\n', segment(map(900_000), first)],
    ['1 2 one'],
  ],
  [
    'an empty segment with a header sets the clock',
    [`WEBVTT\n${map(900_000)}\n`, segment(map(1_440_000), first)],
    ['7 8 one'],
  ],
  [
    'a cue that is in two segments is merged',
    [segment(map(0), ['00:05.000', '00:07.000', 'over']), segment(map(0), ['00:05.000', '00:07.000', 'over'], second)],
    ['5 7 over', '7 8 two'],
  ],
  [
    'a cue that was split at a segment boundary is merged',
    [segment(map(0), ['00:05.000', '00:06.000', 'over']), segment(map(0), ['00:06.000', '00:07.000', 'over'])],
    ['5 7 over'],
  ],
  [
    'a cue over three segments is merged',
    [0, 6, 12].map((at) =>
      segment(map(0), [`00:${String(at).padStart(2, '0')}.000`, `00:${String(at + 6).padStart(2, '0')}.000`, 'over']),
    ),
    ['0 18 over'],
  ],
  [
    'a text repeated in one segment is kept twice',
    [segment(map(0), ['00:01.000', '00:02.000', 'No.'], ['00:02.000', '00:03.000', 'No.'])],
    ['1 2 No.', '2 3 No.'],
  ],
  [
    'a text repeated later is kept twice',
    [segment(map(0), first), segment(map(0), ['00:07.000', '00:08.000', 'one'])],
    ['1 2 one', '7 8 one'],
  ],
])('%s', (_, segments, expected) => expect(rows(...segments)).toEqual(expected))

test('a cue that several TTML documents of a DASH track repeat is merged', () => {
  const document = (...cues: string[]) => new TextEncoder().encode(`<tt><body><div>${cues.join('')}</div></body></tt>`)
  const over = '<p begin="5s" end="7s">over</p>'
  expect(readCaptionSegments([document('<p begin="1s" end="2s">one</p>', over), document(over)])).toEqual([
    { start: 1, end: 2, text: 'one' },
    { start: 5, end: 7, text: 'over' },
  ])
})
