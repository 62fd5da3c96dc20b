import { expect, test } from 'vitest'
import { clippedSeconds, secondsOf } from '../../../../domain/media/clip-times.ts'

test.each([
  ['0:00', 0],
  ['2:30', 150],
  ['02:30.5', 150.5],
  ['75:00', 4_500],
  ['1:02:03', 3_723],
  ['1:02:03.125', 3_723.125],
])('%s is %d seconds', (text, seconds) => expect(secondsOf(text)).toBe(seconds))

test.each(['', '5', '1:75', '1:60:00', '-1:00', '1:2', '1:02:03.1234', ' 1:00', '1:00 ', '1e3:00', '１:02'])(
  '%j is not a time',
  (text) => expect(secondsOf(text)).toBeNull(),
)

test.each([
  ['no clip', 90, null, 90],
  ['its start', 90, { startSeconds: null, endSeconds: 30 }, 30],
  ['its end', 90, { startSeconds: 30, endSeconds: null }, 60],
  ['its middle', 90, { startSeconds: 30, endSeconds: 50.5 }, 20.5],
  ['more than its end', 90, { startSeconds: 30, endSeconds: 500 }, 60],
  ['what is after its end', 90, { startSeconds: 100, endSeconds: 500 }, 0],
  ['all of media of unknown length', null, null, null],
  ['the end of media of unknown length', null, { startSeconds: 30, endSeconds: null }, null],
  ['at most a part of media of unknown length', null, { startSeconds: 30, endSeconds: 90 }, 60],
])('the seconds of a clip: %s', (_, media, clip, seconds) => expect(clippedSeconds(media, clip)).toBe(seconds))
