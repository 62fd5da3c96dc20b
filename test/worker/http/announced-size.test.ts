import { expect, test } from 'vitest'
import { announcedSize } from '../../../worker/http/jobs/reach.ts'

const says = (status: number, headers: Record<string, string>) => announcedSize(new Response('', { status, headers }))
const video = { 'content-type': 'video/mp4' }

test.each([
  ['a range of a file', 206, { ...video, 'content-range': 'bytes 0-1023/15342100' }, 15_342_100],
  ['a file as a whole', 200, { ...video, 'content-length': '15342100' }, 15_342_100],
  ['sound', 200, { 'content-type': 'audio/mpeg', 'content-length': '7' }, 7],
  ['bytes of no type', 200, { 'content-type': 'application/octet-stream', 'content-length': '7' }, 7],
  ['a type in capitals', 200, { 'content-type': 'Video/MP4; codecs="avc1"', 'content-length': '7' }, 7],
  ['an empty file', 200, { ...video, 'content-length': '0' }, 0],
  ['a range of an unknown whole', 206, { ...video, 'content-range': 'bytes 0-1023/*' }, null],
  ['a range without its place', 206, { ...video, 'content-length': '1024' }, null],
  ['a file of unknown length', 200, video, null],
  ['a page', 200, { 'content-type': 'text/html', 'content-length': '5000' }, null],
  ['a playlist', 200, { 'content-type': 'application/vnd.apple.mpegurl', 'content-length': '500' }, null],
  ['a playlist that calls itself sound', 200, { 'content-type': 'audio/mpegurl', 'content-length': '500' }, null],
  ['another such', 200, { 'content-type': 'audio/x-mpegurl', 'content-length': '500' }, null],
  ['a manifest', 200, { 'content-type': 'application/dash+xml', 'content-length': '500' }, null],
  ['a compressed body', 200, { ...video, 'content-encoding': 'gzip', 'content-length': '500' }, null],
  ['no type', 200, { 'content-length': '500' }, null],
  ['an error with a length', 403, { ...video, 'content-length': '500' }, null],
  ['a length below zero', 200, { ...video, 'content-length': '-5' }, null],
  ['a length that no file has', 200, { ...video, 'content-length': '9'.repeat(30) }, null],
  ['a length in words', 200, { ...video, 'content-length': 'long' }, null],
])('%s announces its size as told', (_, status, headers, size) => expect(says(status, headers)).toBe(size))
