import { describe, expect, test } from 'vitest'
import { chooseSegments, segmentsBefore } from '../../../../container/source/clip/choose-segments.ts'
import { announcedSeconds, packSegments, unpackSegments } from '../../../../container/source/transfer/segment-list.ts'

/** `i` is an initialization section, a number the duration of a segment. */
const listOf = (...all: ('i' | number | null)[]) =>
  packSegments(
    all.map((each, index) => ({
      url: `${index}`,
      range: { offset: index * 10, length: 10 },
      key: { url: 'key', iv: new Uint8Array(16).fill(index) },
      seconds: typeof each === 'number' ? each : null,
    })),
  )

const names = (list: Parameters<typeof unpackSegments>[0]) => [...unpackSegments(list)].map(({ url }) => url).join(' ')

describe('the segments of a clip', () => {
  const film = listOf('i', 2, 2, 2, 2, 2)

  test.each([
    ['within one segment', [2.5, 3.5], '0 2', 2],
    ['over a border', [3, 5], '0 2 3', 2],
    ['from border to border', [4, 8], '0 3 4', 4],
    ['from the start', [0, 1], '0 1', 0],
    ['to the end', [7, Number.POSITIVE_INFINITY], '0 4 5', 6],
    ['of the last moment', [9.999, 20], '0 5', 8],
    ['after the end', [50, 60], '0 5', 8],
  ] as const)('%s', (_title, [from, to], expected, position) => {
    const { segments, positionSeconds } = chooseSegments(film, { from, to })
    expect([names(segments), positionSeconds]).toEqual([expected, position])
  })

  test('keep their byte ranges and the initialization vectors of their keys', () => {
    const [first] = unpackSegments(chooseSegments(listOf(2, 2, 2), { from: 4, to: 6 }).segments)
    expect(first).toEqual({
      url: '2',
      range: { offset: 20, length: 10 },
      key: { url: 'key', iv: new Uint8Array(16).fill(2) },
      seconds: 2,
    })
  })

  test('have the initialization section that is theirs, and those that come among them', () => {
    const periods = listOf('i', 2, 'i', 2, 2, 'i', 2)
    expect(names(chooseSegments(periods, { from: 4, to: 5 }).segments)).toBe('2 4')
    expect(names(chooseSegments(periods, { from: 4, to: 8 }).segments)).toBe('2 4 5 6')
  })

  test('whose durations are sums of rounded numbers start where they are said to start', () => {
    const thirds = listOf(...Array.from({ length: 300 }, () => 0.1))
    expect(chooseSegments(thirds, { from: 20, to: 20.1 })).toMatchObject({ first: 200 })
  })

  test('before a clip are one, then as many as are asked for, up to the first', () => {
    const chosen = chooseSegments(film, { from: 8.5, to: 9 })
    expect(names(segmentsBefore(film, chosen, 0)?.segments ?? film)).toBe('0 4')
    expect(segmentsBefore(film, chosen, 4)).toMatchObject({ positionSeconds: 4, first: 3 })
    expect(segmentsBefore(film, chosen, 100)).toMatchObject({ positionSeconds: 0, first: 1 })
    expect(segmentsBefore(film, chooseSegments(film, { from: 0, to: 1 }), 4)).toBeNull()
  })

  test('can be chosen only if the manifest says how long each of them is', () => {
    expect(announcedSeconds(film)).toBe(10)
    expect(announcedSeconds(listOf('i', 2, null, null))).toBeNull()
    expect(announcedSeconds(listOf('i', 2, null))).toBeNull()
    expect(announcedSeconds(listOf(null, null))).toBeNull()
  })
})
