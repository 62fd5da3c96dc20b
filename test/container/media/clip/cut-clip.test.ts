import { describe, expect, test } from 'vitest'
import { cutClip } from '../../../../container/media/clip/cut-clip.ts'
import { probe } from '../../../../container/media/probe.ts'
import { toCopy } from '../../../../container/media/spending.ts'
import type { ClipTimes } from '../../../../container/source/clip/clip-ranges.ts'
import type { Selection } from '../../../../domain/protocol/protocol.ts'
import { fixture } from '../../../doubles/origin/fixtures.ts'
import { scratchFolder } from '../../audio/recordings.ts'
import { find, firstTime, lastTime, shiftOf } from './packets.ts'

const folder = scratchFolder()
const { signal } = new AbortController()
const options = { workDir: folder, spends: toCopy(100_000_000), signal }
const everything: Selection = { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' }

/** Cuts whole files, as if no part of them could be downloaded. */
const cut = async (names: string[], [startSeconds, endSeconds]: [number, number | null]) => {
  const inputs = await Promise.all(
    names.map(async (name) => ({
      probed: await probe(fixture(name), signal),
      positionSeconds: null,
      completeFromSeconds: null,
    })),
  )
  const times: ClipTimes = { startSeconds, endSeconds }
  const { probed, actualStartSeconds } = await cutClip(inputs, times, everything, options)
  return { file: probed.path, actualStartSeconds }
}

describe('a clip of twelve seconds with a keyframe every two', () => {
  test.each([
    ['smaller than the distance of two keyframes starts at the first', [4.5, 5.1], 4, 5.1],
    ['that starts at a keyframe starts there', [6, 8], 6, 8],
    ['that starts just before a keyframe starts at the one before', [5.999, 8], 4, 8],
    ['with only a start ends with the media', [7, null], 6, 12],
    ['with only an end starts with the media', [0, 3], 0, 3],
    ['of the last moment starts at the last keyframe', [11.9, 12], 10, 12],
  ] as const)('%s', async (_title, [from, to], start, end) => {
    const { file, actualStartSeconds } = await cut(['film.mp4'], [from, to])
    expect(actualStartSeconds).toBe(start)
    const [pictures, sounds] = [find('V:0', file, fixture('film.mp4')), find('a:0', file, fixture('film.mp4'))]
    expect(shiftOf(pictures, sounds)).toBeCloseTo(start, 3)
    expect(firstTime(pictures)).toBeCloseTo(0, 3)
    // Pictures are stored after those that they are needed for.
    expect(Math.abs(lastTime(pictures) - (end - start))).toBeLessThan(0.13)
  })

  test('with its sound in another file has both from the same moment', async () => {
    const { file, actualStartSeconds } = await cut(['film-silent.mp4', 'film-sound.m4a'], [5, 9])
    expect(actualStartSeconds).toBe(4)
    const whole = fixture('film.mp4')
    expect(shiftOf(find('V:0', file, whole), find('a:0', file, whole))).toBeCloseTo(4, 3)
  })
})
