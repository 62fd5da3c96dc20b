import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseRenditions } from '../../../../../container/media/choose-quality.ts'
import type { Rendition } from '../../../../../container/source/source.ts'
import type { Selection } from '../../../../../domain/protocol/protocol.ts'
import { runs } from '../../../../support/runs.ts'
import { type Budget, countGrowsLinearly, within } from '../../hostile-input.ts'

const number = fc.oneof(fc.nat(3_000), fc.double({ min: 0, noNaN: true }), fc.constantFrom(null, 0, 0.5, 1e308))
const codec = fc.oneof(
  fc.constantFrom(null, 'unknown', 'avc1.4d401f', 'vp9', 'av01', 'mp4a.40.2', 'opus', 'ec-3', 'h265', '__proto__', ''),
  fc.string({ maxLength: 100 }),
)
const rendition: fc.Arbitrary<Rendition> = fc.record({
  id: fc.string(),
  container: fc.constantFrom(null, 'mp4', 'webm'),
  videoCodec: codec,
  audioCodec: codec,
  width: number,
  height: number,
  bitrate: number,
  audioBitrate: number,
  tier: fc.nat(9),
  sizeBytes: number,
  sizeIsEstimate: fc.boolean(),
  language: fc.constantFrom(null, 'en', 'de'),
  preference: fc.integer(),
  transport: fc.constant({ kind: 'file' as const, url: 'https://a.example/', headers: {} }),
})
const selection: fc.Arbitrary<Selection> = fc.record({
  includeVideo: fc.boolean(),
  includeAudio: fc.boolean(),
  videoQuality: fc.constantFrom('lowest', '360p', '1080p', 'best'),
  audioQuality: fc.constantFrom('lowest', 'low', 'medium', 'high', 'best'),
})

/** Measured: at most 120 operations for each rendition. */
const budget: Budget = { each: 300, fixed: 1_000 }

test('any renditions: the chosen ones are of the source and have what was selected, or there are none', () => {
  fc.assert(
    fc.property(fc.array(rendition, { maxLength: 30 }), selection, (renditions, selected) => {
      const chosen = within(budget, renditions.length, () => chooseRenditions(renditions, selected))
      if (chosen === null) return
      expect([1, 2]).toContain(chosen.length)
      for (const each of chosen) expect(renditions).toContain(each)
    }),
    runs(150),
  )
})

describe('twice as many renditions take twice as long', () => {
  const codecs: [kind: string, video: string | null, audio: string | null][] = [
    ['video', 'avc1', null],
    ['audio', null, 'mp4a'],
    ['both', 'avc1', 'mp4a'],
  ]
  test.each(codecs)('of %s', (_, videoCodec, audioCodec) => {
    const [sample] = fc.sample(rendition, { numRuns: 1, seed: 1 })
    if (!sample) throw new Error('no sample')
    for (const [includeVideo, includeAudio] of [
      [true, true],
      [true, false],
      [false, true],
    ] as const) {
      const selected: Selection = { includeVideo, includeAudio, videoQuality: '1080p', audioQuality: 'best' }
      for (const isSame of [true, false]) {
        const many = (count: number): Rendition[] =>
          Array.from({ length: count }, (_, index) => ({
            ...sample,
            videoCodec,
            audioCodec,
            height: isSame ? 720 : index,
            bitrate: isSame ? 1 : index,
            preference: index,
          }))
        countGrowsLinearly(many, 500, (renditions) => chooseRenditions(renditions, selected))
      }
    }
  })

  test('of video and of audio, half each', () => {
    const [sample] = fc.sample(rendition, { numRuns: 1, seed: 1 })
    if (!sample) throw new Error('no sample')
    const selected: Selection = { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' }
    const many = (count: number): Rendition[] =>
      Array.from({ length: count }, (_, index) => ({
        ...sample,
        videoCodec: index % 2 === 0 ? 'vp9' : null,
        audioCodec: index % 2 === 0 ? null : 'mp4a',
        height: index,
      }))
    countGrowsLinearly(many, 500, (renditions) => chooseRenditions(renditions, selected))
  })
})
