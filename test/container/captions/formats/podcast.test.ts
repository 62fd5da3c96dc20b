import { expect, test } from 'vitest'
import { readChapters } from '../../../../container/captions/chapters.ts'
import { readCaptions } from '../../../../container/captions/read.ts'

/** The transcripts and chapters that feeds of podcasts name (https://podcasting2.org/docs/podcast-namespace). */
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))
const read = (text: string) => readCaptions(bytesOf(text))
const json = (segments: object[]) => JSON.stringify({ version: '1.0.0', segments })
const segment = (startTime: number, endTime: number, body: string, speaker?: string) => ({
  ...{ startTime, endTime, body },
  ...(speaker && { speaker }),
})

test('JSON: segments with their speakers', () => {
  const segments = [segment(0.5, 2, 'Hello and welcome.', 'Ann'), segment(2, 4, 'Thank you.', 'Ben')]
  expect(read(json(segments))).toEqual([
    { start: 0.5, end: 2, text: 'Hello and welcome.', speaker: 'Ann' },
    { start: 2, end: 4, text: 'Thank you.', speaker: 'Ben' },
  ])
})

test('JSON: segments of a word each are joined, up to the end of a sentence, a pause, or another speaker', () => {
  const words = [
    segment(0, 0.4, 'Hello', 'Ann'),
    segment(0.4, 0.8, 'there.', 'Ann'),
    segment(0.9, 1.2, 'How', 'Ann'),
    segment(1.2, 1.5, 'are', 'Ann'),
    segment(4, 4.2, 'you?', 'Ann'),
    segment(4.2, 4.5, 'Fine', 'Ben'),
  ]
  expect(read(json(words)).map(({ text }) => text)).toEqual(['Hello there.', 'How are', 'you?', 'Fine'])
})

test('JSON: what is no segment is left out', () => {
  const broken = [null, 1, {}, { startTime: 1, endTime: 0, body: 'x' }, { startTime: 0, endTime: 1, body: 7 }]
  expect(read(JSON.stringify({ segments: [...broken, segment(1, 2, ' kept ')] }))).toEqual([
    { start: 1, end: 2, text: 'kept' },
  ])
  expect(read('{"segments": {}}')).toEqual([])
})

test('HTML: paragraphs begin at the time before them, and end where the next one begins', () => {
  const html = `<!DOCTYPE html><html><head><title>A show</title><style>p {}</style></head><body>
    <cite>Ann:</cite> <time>0:00</time> <p>Hello &amp; <b>welcome</b>.</p>
    <p>To the show.</p>
    <cite>Ben:</cite> <time>1:02:03</time> <p>Thank you.</p></body></html>`
  expect(read(html)).toEqual([
    { start: 0, end: 3_723, text: 'Hello & welcome. To the show.', speaker: 'Ann' },
    { start: 3_723, end: 3_724, text: 'Thank you.', speaker: 'Ben' },
  ])
})

test('HTML: a paragraph of minutes is cut, and its parts share the time', () => {
  const words = Array.from({ length: 400 }, (_, i) => `word${i}`).join(' ')
  const segments = read(`<time>0:10</time><p>${words}</p><time>1:10</time><p>End.</p>`)
  expect(segments.length).toBeGreaterThan(4)
  expect([segments[0]?.start, segments.at(-2)?.end, segments.at(-1)?.start]).toEqual([10, 70, 70])
})

test('HTML without times has no segments', () => {
  expect(read('<p>Hello.</p><p>And welcome.</p>')).toEqual([])
})

test('hostile HTML and JSON end with an error or nothing', () => {
  expect(() => read('<time>0:00</time>'.repeat(100_001))).toThrow('cues')
  expect(read(`<time>0:00</time><p>a</p>${'<div>'.repeat(200)}`)).toEqual([])
  expect(() => read(json(Array.from({ length: 100_001 }, (_, i) => segment(i * 2, i * 2 + 1, 'A sentence.'))))).toThrow(
    'cues',
  )
  expect(read('{"segments": [')).toEqual([])
})

const chapters = (list: object[], seconds: number | null = 100) =>
  readChapters(bytesOf(JSON.stringify({ version: '1.2.0', chapters: list })), seconds)

test('chapters end where they say, where the next one begins, or with the media', () => {
  expect(
    chapters([
      { startTime: 50, title: 'Third' },
      { startTime: 0, title: 'First', img: 'https://pod.example/1.jpg' },
      { startTime: 10, endTime: 40, title: 'Second' },
      { startTime: 45, title: 'A picture', toc: false },
    ]),
  ).toEqual([
    { title: 'First', startSeconds: 0, endSeconds: 10 },
    { title: 'Second', startSeconds: 10, endSeconds: 40 },
    { title: 'Third', startSeconds: 50, endSeconds: 100 },
  ])
  expect(chapters([{ startTime: 5 }], null)).toEqual([{ title: '', startSeconds: 5, endSeconds: 5 }])
})

test.each(['', '{}', '{"chapters": [{"startTime": "soon"}]}', '<html>'])(
  'what is no file of chapters is refused: %j',
  (text) => {
    expect(() => readChapters(bytesOf(text), null)).toThrow()
  },
)
