import { expect, test } from 'vitest'
import { createDisk } from '../../../container/steps/disk.ts'

test('steps reserve up to all of the disk, and what one releases is free for another', () => {
  const disk = createDisk(100)
  const one = disk.reserve(60)
  expect([one?.bytes, disk.reserve(41)]).toEqual([60, null])
  one?.release()
  expect(disk.reserve(100)?.bytes).toBe(100)
})

test('a reservation grows only by what is free, and never shrinks', () => {
  const disk = createDisk(100)
  const one = disk.reserve(10)
  disk.reserve(50)
  expect([one?.growTo(50), one?.growTo(51), one?.growTo(20), one?.bytes]).toEqual([true, false, true, 50])
})

test('a reservation that is released twice frees its bytes once', () => {
  const disk = createDisk(100)
  const one = disk.reserve(60)
  disk.reserve(40)
  one?.release()
  one?.release()
  expect([disk.reserve(61), disk.reserve(60)?.bytes]).toEqual([null, 60])
})
