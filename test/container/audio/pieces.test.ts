import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SAMPLE_RATE } from '../../../container/audio/decode.ts'
import { cutAtSilences, FRAME_SAMPLES, isSilent } from '../../../container/audio/pieces.ts'
import { runs } from '../../support/runs.ts'

/** A loud recording with pauses of half a second at these times. */
const recording = (seconds: number, pauses: number[] = []) => {
  const loudness = new Float32Array(Math.ceil(seconds * 50)).fill(0.1)
  for (const pause of pauses) loudness.fill(1e-5, pause * 50, (pause + 0.5) * 50)
  return { pcm: { path: '', samples: Math.round(seconds * SAMPLE_RATE), durationSeconds: seconds }, loudness }
}

describe('cutting at silences', () => {
  test.each([
    ['a recording below the limit is not cut', 200, 300, [100], []],
    ['a recording of exactly the limit is not cut', 300, 300, [100], []],
    ['a longer recording is cut in a pause', 400, 300, [190], [190]],
    ['the pause within the limit is used', 390, 220, [150, 205, 225], [205]],
    ['three pieces have about equal length', 720, 300, [230, 470], [230, 470]],
    ['a recording of twice the limit is cut in its pauses', 600, 300, [190, 410], [190, 410]],
  ])('%s', (_, seconds, maxSeconds, pauses, expected) => {
    const { pcm, loudness } = recording(seconds, pauses)
    const cuts = cutAtSilences(pcm, loudness, maxSeconds).slice(1)
    expect(cuts.map(({ start }) => Math.floor(start / SAMPLE_RATE))).toEqual(expected)
    for (const { start } of cuts) expect((start / SAMPLE_RATE) % 1).toBeGreaterThan(0.1)
  })

  test('between words that follow each other without a pause the cut is in the gap of 120 ms', () => {
    const { pcm, loudness } = recording(400)
    const [from, to] = [9_510, 9_516]
    loudness.fill(0.01, from, to)
    const cut = (cutAtSilences(pcm, loudness, 300)[1]?.start ?? 0) / FRAME_SAMPLES
    expect(cut).toBeGreaterThan(from)
    expect(cut).toBeLessThan(to)
  })

  test('pieces have no gaps, none exceeds the limit, and there are fewer than twice as many as needed', () => {
    const lengths = fc.integer({ min: 1, max: 20_000 })
    const limits = fc.integer({ min: 5, max: 3_000 })
    fc.assert(
      fc.property(lengths, limits, fc.array(fc.integer({ min: 0, max: 19_000 })), (seconds, maxSeconds, pauses) => {
        const { pcm, loudness } = recording(seconds, pauses)
        const pieces = cutAtSilences(pcm, loudness, maxSeconds)
        const wrong = pieces.filter(({ start, end }, index) => {
          const length = end - start
          return start !== (pieces[index - 1]?.end ?? 0) || length <= 0 || length > maxSeconds * SAMPLE_RATE
        })
        expect(wrong).toEqual([])
        expect(pieces.at(-1)?.end).toBe(pcm.samples)
        expect(pieces.length).toBeLessThanOrEqual(2 * Math.ceil(seconds / maxSeconds) - 1)
      }),
      runs(200),
    )
  })
})

describe('silence', () => {
  const { loudness } = recording(10)
  const quiet = new Float32Array(500).fill(1e-9)

  test('a recording with a single audible frame is not silent', () => {
    expect(isSilent(quiet)).toBe(true)
    expect(isSilent(new Float32Array([...quiet, 0.01, ...quiet]))).toBe(false)
    expect(isSilent(loudness)).toBe(false)
  })

  test('a range is measured separately from the rest', () => {
    const half = new Float32Array([...quiet, ...loudness])
    expect(isSilent(half, { start: 0, end: 10 * SAMPLE_RATE })).toBe(true)
    expect(isSilent(half, { start: 9 * SAMPLE_RATE, end: 11 * SAMPLE_RATE })).toBe(false)
  })
})
