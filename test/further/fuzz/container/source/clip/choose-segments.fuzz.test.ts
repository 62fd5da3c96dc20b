import { test } from 'vitest'
import { chooseSegments } from '../../../../../../container/source/clip/choose-segments.ts'
import { packSegments } from '../../../../../../container/source/transfer/segment-list.ts'
import { countGrowsLinearly } from '../../../hostile-input.ts'

const listOf = (count: number) =>
  packSegments(Array.from({ length: count }, (_, index) => ({ url: `${index}`, range: null, key: null, seconds: 1 })))

test('the segments of a clip are chosen in linear time', () => {
  countGrowsLinearly(listOf, 2_000, (list) => chooseSegments(list, { from: 1_500, to: 1_620 }))
})
