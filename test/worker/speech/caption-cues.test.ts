import { afterAll, expect, test } from 'vitest'
import { startWorkCounter } from '../../count-work.ts'
import { expensiveTexts } from '../../expensive-texts.ts'

const counter = await startWorkCounter('/domain/words/', '/worker/speech/')
afterAll(() => counter.stop())
const { formatTranscript } = await import('../../../worker/speech/transcript-formats.ts')

const read = async (texts: string[], as: 'txt' | 'srt' | 'vtt'): Promise<void> => {
  const segments = texts.map((text, index) => ({ start: index, end: index + 1, text, speaker: `${index % 2}` }))
  for await (const piece of formatTranscript(segments, as)) expect(piece).not.toBe('')
}

test.each(['txt', 'srt', 'vtt'] as const)('%s: the work grows with the length of a segment', async (as) => {
  for (const [kind, textOf] of expensiveTexts) {
    expect(await counter.growth((size) => read([textOf(size)], as), 800), kind).toBeLessThan(2.3)
  }
})

test.each(['txt', 'srt', 'vtt'] as const)('%s: the work grows with the number of segments', async (as) => {
  const several = (size: number) =>
    read(
      Array.from({ length: size }, () => 'A line of text.'),
      as,
    )
  expect(await counter.growth(several, 200)).toBeLessThan(2.3)
})
