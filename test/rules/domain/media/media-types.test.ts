import { expect, test } from 'vitest'
import { contentTypeOf, typeOfFile } from '../../../../domain/media/media-types.ts'

test.each([
  ['film.mp4', 'video/mp4'],
  ['sound.m4a', 'audio/mp4'],
  ['a.b.webm', 'video/webm'],
  ['Über 東京.mkv', 'video/x-matroska'],
  ['speech.opus', 'audio/ogg'],
  ['thumbnail.jpg', 'image/jpeg'],
  ['page.html', 'application/octet-stream'],
  ['picture.svg', 'application/octet-stream'],
  ['no extension', 'application/octet-stream'],
  ['mp4', 'application/octet-stream'],
  ['x.constructor', 'application/octet-stream'],
])('%s has the type %s', (filename, type) => expect(typeOfFile(filename)).toBe(type))

test.each([
  ['a.webm', 'audio/webm', 'audio/webm'],
  ['a.webm', 'video/webm', 'video/webm'],
  ['a.webm', 'text/html', 'video/webm'],
  ['a.mp4', 'audio/webm', 'video/mp4'],
  ['a.html', 'text/html', 'application/octet-stream'],
])('%s stored as %s has the type %s', (filename, stored, type) => expect(typeOfFile(filename, stored)).toBe(type))

test('WebM without video is audio/webm', () => {
  expect(contentTypeOf('webm', false)).toBe('audio/webm')
  expect(contentTypeOf('webm', true)).toBe('video/webm')
  expect(contentTypeOf('mp3', false)).toBe('audio/mpeg')
})
