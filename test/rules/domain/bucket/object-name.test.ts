import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  encodeKey,
  filename,
  filenameProblem,
  MAX_FILENAME_BYTES,
  MAX_KEY_BYTES,
  MAX_PATH_BYTES,
  MAX_PREFIX_BYTES,
  objectKey,
  pathProblem,
} from '../../../../domain/bucket/object-name.ts'
import { filenameOf } from '../../../../domain/media/safe-filename.ts'
import { objectUrl } from '../../../../worker/bucket/s3/bucket.ts'
import { runs } from '../../../support/runs.ts'

const sizeOf = (text: string): number => new TextEncoder().encode(text).length

describe('a key is prefix, path and file name', () => {
  test.each([
    [{ filename: 'a.mp4' }, 'a.mp4'],
    [{ storagePath: 'videos', filename: 'a.mp4' }, 'videos/a.mp4'],
    [{ pathPrefix: 'haul', storagePath: 'videos/2026', filename: 'a.mp4' }, 'haul/videos/2026/a.mp4'],
    [{ pathPrefix: '/haul/', storagePath: '//videos/', filename: 'a.mp4' }, 'haul/videos/a.mp4'],
    [{ pathPrefix: '', storagePath: '/', filename: 'a.mp4' }, 'a.mp4'],
    [{ storagePath: 'Grüße & Co/100%', filename: 'Käse 🧀 + x.mp4' }, 'Grüße & Co/100%/Käse 🧀 + x.mp4'],
    [{ storagePath: '..a/b..', filename: '...mp4' }, '..a/b../...mp4'],
    [{ storagePath: '%2e%2e', filename: 'a.mp4' }, '%2e%2e/a.mp4'],
  ])('%j → %s', (place, key) => expect(objectKey(place)).toBe(key))

  test.each([
    [{ storagePath: '..', filename: 'a.mp4' }],
    [{ storagePath: 'a/../b', filename: 'a.mp4' }],
    [{ storagePath: 'a/./b', filename: 'a.mp4' }],
    [{ pathPrefix: '../other', filename: 'a.mp4' }],
    [{ filename: '../a.mp4' }],
    [{ filename: '..' }],
    [{ filename: '' }],
    [{ filename: `${'x'.repeat(300)}.mp4` }],
  ])('%j throws', (place) => expect(() => objectKey(place)).toThrow(RangeError))
})

describe('an invalid path is refused, not corrected', () => {
  test.each([
    ['a//b', 'must not contain empty segments'],
    ['a/../b', 'must not contain . or .. as a segment'],
    ['/../', 'must not contain . or .. as a segment'],
    ['.', 'must not contain . or .. as a segment'],
    ['a\\b', 'must not contain control characters or backslashes'],
    ['..\\..\\b', 'must not contain control characters or backslashes'],
    ['a\nb', 'must not contain control characters or backslashes'],
    ['a\u0000', 'must not contain control characters or backslashes'],
    ['a\u0085b', 'must not contain control characters or backslashes'],
    ['\ud800', 'is not valid Unicode'],
    ['x'.repeat(MAX_PATH_BYTES + 1), `must not be longer than ${MAX_PATH_BYTES} bytes`],
    ['ü'.repeat(MAX_PATH_BYTES / 2 + 1), `must not be longer than ${MAX_PATH_BYTES} bytes`],
  ])('%j %s', (path, problem) => expect(pathProblem(path)).toBe(problem))

  test.each(['', '/', 'a', '/a/b/', 'a b', 'ümläut/🎬', '...', '.hidden', 'x'.repeat(MAX_PATH_BYTES)])(
    '%j is valid',
    (path) => expect(pathProblem(path)).toBeNull(),
  )
})

describe('a storageFilename', () => {
  test.each([
    ['', 'must not be empty'],
    ['   ', 'must not be empty'],
    ['a/b', 'must not contain slashes: use storagePath for folders'],
    ['a\\b', 'must not contain control characters or backslashes'],
    ['a\tb', 'must not contain control characters or backslashes'],
    ['\udfff', 'is not valid Unicode'],
    ['x'.repeat(241), 'must not be longer than 240 bytes'],
    ['ü'.repeat(121), 'must not be longer than 240 bytes'],
  ])('%j %s', (stem, problem) => expect(filenameProblem(stem)).toBe(problem))

  test('of the maximum length leaves room for any extension', () => {
    expect(filenameProblem('ü'.repeat(120))).toBeNull()
    expect(sizeOf(filename('ü'.repeat(120), 'webm'))).toBeLessThanOrEqual(MAX_FILENAME_BYTES)
  })

  test('gets an extension even if it has one already', () => {
    expect(filename('holiday', 'mp4')).toBe('holiday.mp4')
    expect(filename('v1.2', 'mp4')).toBe('v1.2.mp4')
    expect(filename('..', 'mp4')).toBe('...mp4')
  })
})

const anyText = fc.string({ unit: 'binary', maxLength: 400 })

test('any title and path are refused or produce a key that fits and can be read back from its URL', () => {
  const settings = {
    endpoint: 'https://s3.example.com',
    region: 'auto',
    bucket: 'media',
    accessKeyId: 'a',
    secretAccessKey: 'b',
  }
  fc.assert(
    fc.property(anyText, anyText, anyText, (pathPrefix, storagePath, title) => {
      if (pathProblem(pathPrefix, MAX_PREFIX_BYTES) || pathProblem(storagePath)) return
      const name = filenameOf(title, 'mp4')
      const key = objectKey({ pathPrefix, storagePath, filename: name })
      expect(sizeOf(key)).toBeLessThanOrEqual(MAX_KEY_BYTES)
      expect(sizeOf(name)).toBeLessThanOrEqual(MAX_FILENAME_BYTES)
      const { pathname, hostname } = new URL(objectUrl({ ...settings, pathStyle: true }, key))
      expect(hostname).toBe('s3.example.com')
      expect(decodeURIComponent(pathname)).toBe(`/media/${key}`)
    }),
    runs(2000),
  )
})

test('a key in a URL is encoded as RFC 3986 requires', () => {
  expect(encodeKey("a b/c+d%e'f(g)h*i!j~k.mp4")).toBe('a%20b/c%2Bd%25e%27f%28g%29h%2Ai%21j~k.mp4')
})

describe('the URL of a bucket', () => {
  const settings = { region: 'auto', accessKeyId: 'a', secretAccessKey: 'b' }
  test.each([
    ['https://s3.eu-west-1.amazonaws.com', 'media', false, 'https://media.s3.eu-west-1.amazonaws.com/k'],
    ['https://s3.eu-west-1.amazonaws.com/', 'media', true, 'https://s3.eu-west-1.amazonaws.com/media/k'],
    ['https://s3.example.com:9000', 'media', false, 'https://media.s3.example.com:9000/k'],
    ['https://proj.example.com/storage/v1/s3', 'media', true, 'https://proj.example.com/storage/v1/s3/media/k'],
    ['https://s3.example.com', 'my.dotted.bucket', false, 'https://s3.example.com/my.dotted.bucket/k'],
    ['http://127.0.0.1:9000', 'media', false, 'http://127.0.0.1:9000/media/k'],
    ['http://[::1]:9000', 'media', false, 'http://[::1]:9000/media/k'],
    ['http://minio:9000', 'media', false, 'http://minio:9000/media/k'],
  ])('%s, %s, path style %s: %s', (endpoint, bucket, pathStyle, url) => {
    expect(objectUrl({ ...settings, endpoint, bucket, pathStyle }, 'k')).toBe(url)
  })
})
