import { describe, expect, test } from 'vitest'
import { emptyElement } from '../../../../container/source/clip/file-clip.ts'
import { boxesIn } from '../../../../container/source/index/mp4/boxes.ts'
import { cluster, cues, matroska, segmentAt } from '../../../doubles/origin/media-bytes.ts'
import { cue, foundClip, fragmentedHead, fragmentOf, list, movieOf, pictures, sidx } from './found-clip.ts'

const clip = { startSeconds: 50, endSeconds: 60 }
/** One second before the clip and two after it. */
const isClipOnly = (start: number, end: number) => [expect.objectContaining({ start, end })]

describe('an MP4 whose index lists all samples', () => {
  const firstSample = 20

  test.each(['stco', 'co64'] as const)('the clip begins at the keyframe before it: offsets in %s', (offsets) => {
    const movie = movieOf({ seconds: 100, sampleBytes: 100_000, keyframes: [1, 41, 91], offsets })
    const { ranges, completeFromSeconds, mediaSeconds } = foundClip(movie, clip)
    expect({ completeFromSeconds, mediaSeconds }).toEqual({ completeFromSeconds: 40, mediaSeconds: 100 })
    const places = isClipOnly(firstSample + 40 * 100_000, firstSample + 63 * 100_000)
    expect(ranges).toEqual(expect.arrayContaining(places))
    // The first second, and the index.
    expect(ranges).toHaveLength(3)
  })

  test('without a list of keyframes, each sample is one', () => {
    expect(foundClip(movieOf({ seconds: 100, sampleBytes: 1_000 }), clip).completeFromSeconds).toBe(49)
  })

  test('samples in any order are found, in few ranges', () => {
    const backwards = (index: number) => firstSample + (99 - index) * 100_000
    const { ranges } = foundClip(movieOf({ seconds: 100, sampleBytes: 100_000, placeOf: backwards }), clip)
    expect(ranges).toEqual(expect.arrayContaining(isClipOnly(backwards(62), backwards(48))))
  })

  test('samples behind the end of the file are not a clip', () => {
    const movie = movieOf({ seconds: 100, sampleBytes: 1_000, placeOf: (index, at) => (index === 55 ? 4e9 : at) })
    expect(() => foundClip(movie, clip)).toThrow('malformed sample table')
  })

  test('a billion samples that are only claimed are not counted', () => {
    const movie = movieOf({ seconds: 100, sampleBytes: 1 })
    const claimed = Buffer.from(
      movie.toString('hex').replace('7374737a0000000000000001000000' + '64', '7374737a0000000000000000ffffffff'),
      'hex',
    )
    expect(claimed.equals(movie)).toBe(false)
    expect(() => foundClip(claimed, clip)).toThrow()
  })

  test('a clip after the end is out of range', () => {
    const movie = movieOf({ seconds: 40, sampleBytes: 1_000 })
    expect(() => foundClip(movie, clip)).toThrow(expect.objectContaining({ code: 'CLIP_OUT_OF_RANGE' }))
  })
})

describe('a fragmented MP4', () => {
  const sizes = list(100, (second) => fragmentOf(second, 2_000).length)
  const fragments = Buffer.concat(list(100, (second) => fragmentOf(second, 2_000)))
  const size = sizes[0] ?? 0
  const shifted = sizes.map((bytes, at) => bytes + (at === 0 ? 9 : at === 99 ? -9 : 0))

  test('with an index: the clip is whole fragments, from the one before the keyframe on', () => {
    const index = sidx(sizes)
    const at = fragmentedHead.length + index.length
    const { ranges, holes, completeFromSeconds } = foundClip(Buffer.concat([fragmentedHead, index, fragments]), clip)
    expect(ranges).toEqual([
      { start: 0, end: at + size },
      { start: at + 48 * size, end: at + 63 * size },
    ])
    expect(holes).toEqual([
      { start: at + size, end: at + 48 * size },
      { start: at + 63 * size, end: at + 100 * size },
    ])
    expect(completeFromSeconds).toBe(49)
  })

  test.each<[title: string, file: Buffer]>([
    ['without an index', Buffer.concat([fragmentedHead, fragments])],
    ['with an index that leaves out the end', Buffer.concat([fragmentedHead, sidx(sizes.slice(0, 70)), fragments])],
    ['with an index of other sizes', Buffer.concat([fragmentedHead, sidx(shifted), fragments])],
    ['with an index of indexes', Buffer.concat([fragmentedHead, sidx(sizes, { isIndex: true }), fragments])],
    [
      'whose fragments have no times',
      Buffer.concat([
        fragmentedHead,
        sidx(list(100, (second) => fragmentOf(second, 2_000, false).length)),
        ...list(100, (second) => fragmentOf(second, 2_000, false)),
      ]),
    ],
  ])('%s: the whole file is needed', (_title, file) => {
    expect(() => foundClip(file, clip)).toThrow()
  })
})

describe('a Matroska file', () => {
  const clusters = list(20, (index) => cluster(index * 5_000, Buffer.alloc(4_000)))
  const cueBytes = cues(cue(0, 0)).length - cues().length
  const file = (
    cueOf: (index: number, position: number) => Buffer | null = (index, position) => cue(index * 5_000, position),
  ) => {
    const base = pictures.length + cues().length + 20 * cueBytes
    const points = clusters.map((each, index) => cueOf(index, base + index * each.length) ?? cue(0, base))
    return matroska(pictures, cues(...points), ...clusters)
  }
  const size = clusters[0]?.length ?? 0
  const firstAt = segmentAt + pictures.length + cues().length + 20 * cueBytes

  test('with Cues: the clip is whole clusters', () => {
    const { ranges, holes, completeFromSeconds } = foundClip(file(), clip)
    expect(completeFromSeconds).toBe(45)
    expect(ranges).toEqual([
      { start: 0, end: firstAt + size },
      { start: firstAt + 9 * size, end: firstAt + 13 * size },
    ])
    expect(holes).toHaveLength(2)
  })

  test('a cluster whose keyframe is after the clip but whose start is not is part of it', () => {
    const lateKeyframes = file((index, position) => cue(index * 5_000 + 4_900, position))
    const { ranges } = foundClip(lateKeyframes, { startSeconds: 50, endSeconds: 59 })
    expect(ranges.at(-1)).toEqual({ start: firstAt + 8 * size, end: firstAt + 13 * size })
  })

  test.each<[title: string, file: Buffer]>([
    ['without Cues', matroska(pictures, ...clusters)],
    [
      'with Cues that lead into clusters',
      file((index, position) => cue(index * 5_000, position + (index === 9 ? 7 : 0))),
    ],
    [
      'with Cues of another track',
      Buffer.from(
        file().toString('latin1').replaceAll('\xf7\x01\0\0\0\0\0\0\x08', '\xf7\x01\0\0\0\0\0\0\x08'),
        'latin1',
      ).fill(0, 0, 4),
    ],
  ])('%s: the whole file is needed', (_title, bytes) => {
    expect(() => foundClip(bytes, clip)).toThrow()
  })
})

test.each([64, 5_000, 5_000_000_000])('a hole of %i bytes is an empty box of this size', (bytes) => {
  const header = emptyElement('mp4', bytes)
  const [size, isLong] = [Number(header.readUInt32BE(0)), header.length === 16]
  expect(header.toString('latin1', 4, 8)).toBe('free')
  expect(isLong ? Number(header.readBigUInt64BE(8)) : size).toBe(bytes)
  if (bytes < 1_000_000)
    expect([...boxesIn(Buffer.concat([header, Buffer.alloc(bytes - header.length)]))]).toHaveLength(1)
})

test('a hole between clusters is an empty element of its size', () => {
  expect(emptyElement('matroska', 5_000).toString('hex')).toBe('ec0100000000' + '00137f')
})
