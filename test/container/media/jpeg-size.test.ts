import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jpegSize } from '../../../container/media/jpeg-size.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'

const still = readFileSync(fixture('still.jpg'))
/** Where the header of its frame begins. */
const frame = still.indexOf(Buffer.of(0xff, 0xc0))

const changed = (at: number, ...values: number[]): Buffer => {
  const bytes = Buffer.from(still)
  bytes.set(values, at)
  return bytes
}

const fill = Buffer.of(0xff, 0xff)
const comment = Buffer.from([0xff, 0xfe, 0, 6, 0xff, 0xc0, 0, 1])

test.each([
  ['a baseline picture', still],
  ['a progressive picture', changed(frame + 1, 0xc2)],
  ['fill bytes before a marker', Buffer.concat([still.subarray(0, 2), fill, still.subarray(2)])],
  ['a comment that looks like a frame', Buffer.concat([still.subarray(0, 2), comment, still.subarray(2)])],
])('the size of %s is known', (_title, bytes) => {
  expect(jpegSize(bytes)).toEqual({ width: 640, height: 360 })
})

test.each([
  ['a picture whose end is missing', still.subarray(0, -1)],
  ['arithmetic coding', changed(frame + 1, 0xc9)],
  ['twelve bits', changed(frame + 4, 12)],
  ['four colors', changed(frame + 9, 4)],
  ['no width', changed(frame + 7, 0, 0)],
  ['a scan without a frame', changed(frame + 1, 0xda)],
  ['bytes between segments', Buffer.concat([still.subarray(0, 2), Buffer.of(0), still.subarray(2)])],
  ['nothing but an end', Buffer.of(0xff, 0xd8, 0xff, 0xd9)],
])('the size of a picture with %s is not known', (_title, bytes) => {
  expect(jpegSize(bytes)).toBeNull()
})

test('any bytes after the start give a size or none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const size = jpegSize(Buffer.concat([Buffer.of(0xff, 0xd8), bytes, Buffer.of(0xff, 0xd9)]))
      if (size) expect(Math.min(size.width, size.height)).toBeGreaterThan(0)
    }),
  )
})
