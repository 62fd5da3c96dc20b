import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cue,
  foundClip,
  fragmentedHead,
  fragmentOf,
  list,
  movieOf,
  pictures,
  sidx,
} from '../../../../../container/source/clip/found-clip.ts'
import { cluster, cues, matroska } from '../../../../../doubles/origin/media-bytes.ts'
import { runs } from '../../../../../support/runs.ts'
import { type Budget, mutationsOf, within } from '../../../hostile-input.ts'

const fragments = list(12, (second) => fragmentOf(second, 300))
const clusters = list(6, (index) => cluster(index * 2_000, Buffer.alloc(300)))
const position = pictures.length + cues(...list(6, () => cue(0, 0))).length

const files = [
  movieOf({ seconds: 12, sampleBytes: 300, keyframes: [1, 5, 9] }),
  movieOf({ seconds: 12, sampleBytes: 300, offsets: 'co64' }),
  Buffer.concat([fragmentedHead, sidx(fragments.map(({ length }) => length)), ...fragments]),
  matroska(
    pictures,
    cues(...clusters.map(({ length }, index) => cue(index * 2_000, position + index * length))),
    ...clusters,
  ),
]

/** Several times what was needed when the limit was set. The index is read again in each of twelve rounds. */
const budget: Budget = { each: 400, fixed: 40_000 }

test('a clip of a damaged file is found or not, with a number of operations that grows with its size, and within the file', () => {
  fc.assert(
    fc.property(mutationsOf(files), fc.nat(14), fc.nat(5), (bytes, startSeconds, length) => {
      const clip = { startSeconds, endSeconds: startSeconds + length + 0.5 }
      const found = within(budget, bytes.length, () => foundClip(Buffer.from(bytes), clip, undefined, 64))
      if (!found) return
      for (const { start, end } of [...found.ranges, ...found.holes]) {
        expect(start).toBeLessThanOrEqual(end)
        expect(end).toBeLessThanOrEqual(bytes.length)
      }
    }),
    runs(150),
  )
})
