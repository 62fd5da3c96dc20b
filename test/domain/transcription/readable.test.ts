import { expect, test } from 'vitest'
import { readable } from '../../../worker/speech/readable.ts'

const text = 'One two three four five six seven eight nine ten, eleven twelve thirteen fourteen fifteen sixteen.'
const words = text.split(' ').map((word, index) => ({ text: word, start: index, end: index + 0.9 }))

test('segments that can be read stay as the engine cut them', () => {
  const segments = [
    { start: 0, end: 3, text: 'Short and' },
    { start: 3, end: 6, text: 'badly cut.' },
  ]
  expect(readable({ segments, words })).toEqual(segments)
})

test('a long segment is cut where its words say, and no word is lost', () => {
  const cut = readable({ segments: [{ start: 0, end: 16, text }], words })
  expect(cut.length).toBeGreaterThan(1)
  expect(cut.map((segment) => segment.text).join(' ')).toBe(text)
  for (const { start, end } of cut) expect(end - start).toBeLessThanOrEqual(7)
})

test('without times of words a long segment is cut by the length of its sentences', () => {
  const cut = readable({ segments: [{ start: 0, end: 30, text: `${text} ${text}` }] })
  expect(cut.length).toBeGreaterThan(3)
  expect(cut.map((segment) => segment.text).join(' ')).toBe(`${text} ${text}`)
})
