import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutAtSilences } from '../../container/speech/audio/cut.ts'
import { isSilent } from '../../container/speech/audio/loudness.ts'
import { SAMPLE_RATE } from '../../container/speech/audio/pcm.ts'

/** A recording that is loud but for half a second from each of these. */
const recording = (seconds: number, pauses: number[] = []) => {
  const loudness = new Float32Array(Math.ceil(seconds * 50)).fill(0.1)
  for (const pause of pauses) loudness.fill(1e-5, pause * 50, (pause + 0.5) * 50)
  return { pcm: { path: '', samples: Math.round(seconds * SAMPLE_RATE), durationSeconds: seconds }, loudness }
}

describe('cutting', () => {
  test.each([
    ['a short recording stays whole', 200, 300, [100], []],
    ['one of exactly the limit stays whole', 300, 300, [100], []],
    ['a longer one is cut in a pause', 400, 300, [190], [190]],
    ['of two pauses the one that fits the limit is taken', 390, 220, [150, 205, 225], [205]],
    ['three pieces share the length', 720, 300, [230, 470], [230, 470]],
    ['a recording of twice the limit is still cut in its pauses', 600, 300, [190, 410], [190, 410]],
  ])('%s', (_, seconds, maxSeconds, pauses, expected) => {
    const { pcm, loudness } = recording(seconds, pauses)
    const cuts = cutAtSilences(pcm, loudness, maxSeconds).slice(1)
    expect(cuts.map(({ start }) => Math.floor(start / SAMPLE_RATE))).toEqual(expected)
    for (const { start } of cuts) expect((start / SAMPLE_RATE) % 1).toBeGreaterThan(0.1)
  })

  test('pieces follow each other without a gap, none is too long, and there are never twice as many as needed', () => {
    const lengths = fc.integer({ min: 1, max: 20_000 })
    const limits = fc.integer({ min: 5, max: 3_000 })
    fc.assert(
      fc.property(lengths, limits, fc.array(fc.integer({ min: 0, max: 19_000 })), (seconds, maxSeconds, pauses) => {
        const { pcm, loudness } = recording(seconds, pauses)
        const pieces = cutAtSilences(pcm, loudness, maxSeconds)
        let at = 0
        for (const { start, end } of pieces) {
          expect(start).toBe(at)
          expect(end).toBeGreaterThan(start)
          expect(end - start).toBeLessThanOrEqual(maxSeconds * SAMPLE_RATE)
          at = end
        }
        expect(at).toBe(pcm.samples)
        expect(pieces.length).toBeLessThanOrEqual(2 * Math.ceil(seconds / maxSeconds) - 1)
      }),
      { numRuns: 200 },
    )
  })
})

describe('silence', () => {
  const { loudness } = recording(10)
  const quiet = new Float32Array(500).fill(1e-9)

  test('a recording without a sound is silent, one with a moment of it is not', () => {
    expect(isSilent(quiet)).toBe(true)
    expect(isSilent(new Float32Array([...quiet, 0.01, ...quiet]))).toBe(false)
    expect(isSilent(loudness)).toBe(false)
  })

  test('a stretch is judged by itself', () => {
    const half = new Float32Array([...quiet, ...loudness])
    expect(isSilent(half, { start: 0, end: 10 * SAMPLE_RATE })).toBe(true)
    expect(isSilent(half, { start: 9 * SAMPLE_RATE, end: 11 * SAMPLE_RATE })).toBe(false)
  })
})
