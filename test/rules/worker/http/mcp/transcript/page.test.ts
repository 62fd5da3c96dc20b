import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Segment } from '../../../../../../domain/words/segment.ts'
import { type PageRequest, type Position, readPage } from '../../../../../../worker/http/mcp/transcript/page.ts'

const START: Position = { segment: 0, character: 0 }
const whole: PageRequest = { from: START, startSeconds: 0, endSeconds: Infinity, maxCharacters: 12_000 }
const page = (segments: Segment[], changes: Partial<PageRequest> = {}) => readPage(segments, { ...whole, ...changes })

const spoken: Segment[] = [
  { start: 0.56, end: 2, text: 'One.' },
  { start: 2, end: 4, text: 'Two.' },
  { start: 62.48, end: 64, text: 'Three.' },
  { start: 64, end: 66, text: 'Four.', speaker: 'A' },
]

test('paragraphs begin with their time in seconds, rounded down, and with who speaks', async () => {
  expect(await page(spoken)).toEqual({
    text: '[0.5] One. Two.\n\n[62.4] Three.\n\n[64] A: Four.',
    endSeconds: 66,
    next: null,
  })
})

test.each<[string, Partial<PageRequest>, string]>([
  ['from a time', { startSeconds: 62.4 }, '[62.4] Three.\n\n[64] A: Four.'],
  ['up to a time', { endSeconds: 2 }, '[0.5] One.'],
  [
    'between two times, with what overlaps them',
    { startSeconds: 1, endSeconds: 63 },
    '[0.5] One. Two.\n\n[62.4] Three.',
  ],
  ['between two times with silence', { startSeconds: 10, endSeconds: 20 }, ''],
  ['after the end', { startSeconds: 100 }, ''],
  ['from a position', { from: { segment: 1, character: 0 } }, '[2] Two.\n\n[62.4] Three.\n\n[64] A: Four.'],
  ['from within a segment', { from: { segment: 3, character: 2 } }, '[64] A: ur.'],
])('a page can be read %s', async (_, changes, text) => {
  expect((await page(spoken, changes)).text).toBe(text)
})

test('a page ends with a segment, and the next one begins with the next segment and its time', async () => {
  const first = await page(spoken, { maxCharacters: 14 })
  expect(first).toEqual({ text: '[0.5] One.', endSeconds: 2, next: { segment: 1, character: 0 } })
  expect((await page(spoken, { maxCharacters: 15 })).text).toBe('[0.5] One. Two.')
  expect((await page(spoken, { from: first.next ?? START })).text).toMatch(/^\[2\] Two\./)
})

test('a segment that is longer than a page is divided between words', async () => {
  const long = [{ start: 5, end: 9, text: 'alpha beta gamma delta' }]
  const first = await page(long, { maxCharacters: 18 })
  expect(first).toMatchObject({ text: '[5] alpha beta', next: { segment: 0, character: 10 } })
  const second = await page(long, { maxCharacters: 18, from: first.next ?? START })
  expect(second.text).toBe('[5] gamma delta')
})

test('a character of two halves is not divided', async () => {
  const { text, next } = await page([{ start: 0, end: 1, text: '😀'.repeat(20) }], { maxCharacters: 15 })
  expect([text, next]).toEqual([`[0] ${'😀'.repeat(5)}`, { segment: 0, character: 10 }])
})

const someSegments = fc
  .array(fc.record({ text: fc.lorem({ maxCount: 30 }), pause: fc.nat(4), speaker: fc.constantFrom('', 'A', 'B') }), {
    minLength: 1,
    maxLength: 30,
  })
  .map((given) => {
    let clock = 0
    return given.map(({ text, pause, speaker }): Segment => {
      const start = clock + pause
      clock = start + 1
      return { start, end: clock, text, ...(speaker ? { speaker } : {}) }
    })
  })

const withoutSpaces = (text: string) => text.replace(/\s/g, '')

test('the pages of a transcript have all of its words once, and none has more characters than allowed', async () => {
  await fc.assert(
    fc.asyncProperty(someSegments, fc.integer({ min: 20, max: 400 }), async (segments, maxCharacters) => {
      let shown = ''
      for (let from: Position | null = START; from; ) {
        const { text, next }: Awaited<ReturnType<typeof readPage>> = await page(segments, { from, maxCharacters })
        expect(text.length).toBeLessThanOrEqual(maxCharacters)
        shown += text.replace(/\[[\d.]+\] (?:[AB]: )?/g, '')
        from = next
      }
      expect(withoutSpaces(shown)).toBe(withoutSpaces(segments.map(({ text }) => text).join('')))
    }),
  )
})
