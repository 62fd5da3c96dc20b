import { CONTROL, type TextRule } from '../text-rule.ts'

/**
 * `pathPrefix/storagePath/filename`. What the caller wrote is used unchanged or refused, so that the key in the
 * response is the requested one. Only slashes at the ends of a path are removed.
 */

/** S3 accepts 1,024 bytes of UTF-8 in a key. A name of more than 255 bytes exceeds the limit of most file systems. */
export const MAX_KEY_BYTES = 1024
export const MAX_FILENAME_BYTES = 255
/** Leaves room for the longest extension. */
export const MAX_STEM_BYTES = 240
export const MAX_PREFIX_BYTES = 256
export const MAX_PATH_BYTES = MAX_KEY_BYTES - MAX_FILENAME_BYTES - MAX_PREFIX_BYTES - 2

const encoder = new TextEncoder()
export const sizeOf = (text: string): number => encoder.encode(text).length

/** Control characters break headers and XML; some tools treat a backslash as a slash, which could leave the path. */
const UNSAFE = /[\p{Cc}\\]/u

export const characterProblem = (text: string): string | null => {
  if (!text.isWellFormed()) return 'is not valid Unicode'
  if (UNSAFE.test(text)) return 'must not contain control characters or backslashes'
  return null
}

/** URL parsers resolve `.` and `..` before a request is sent, so no server would see the key that was signed. */
export const segmentProblem = (segment: string): string | null => {
  if (segment === '') return 'must not contain empty segments'
  if (segment === '.' || segment === '..') return 'must not contain . or .. as a segment'
  return null
}

/** With the lookbehind, a long run of slashes is tried once and not once for each of its slashes. */
const trimSlashes = (path: string): string => path.replace(/^\/+/, '').replace(/(?<!\/)\/+$/, '')

/** What JSON Schema can say of a path: it cannot count bytes, and a character has up to three of them. */
export const pathRule = (maxBytes: number = MAX_PATH_BYTES): TextRule => ({ pattern: PATH, maxLength: maxBytes })

const SEGMENT = String.raw`(?!\.{1,2}(?:/|$))[^/\\${CONTROL}]+`
const PATH = `^/*(?:${SEGMENT}(?:/${SEGMENT})*/*)?$`

export const pathProblem = (path: string, maxBytes: number = MAX_PATH_BYTES): string | null => {
  const inner = trimSlashes(path)
  if (inner === '') return null
  if (sizeOf(inner) > maxBytes) return `must not be longer than ${maxBytes} bytes`
  return characterProblem(inner) ?? inner.split('/').map(segmentProblem).find(Boolean) ?? null
}

const nameProblem = (name: string): string | null => {
  if (name.trim() === '') return 'must not be empty'
  if (name.includes('/')) return 'must not contain slashes: use storagePath for folders'
  return characterProblem(name)
}

const SPACES = String.raw`\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`

/** At least one character is not white space. */
export const filenameRule: TextRule = {
  pattern: String.raw`^[${SPACES}]*[^/\\${SPACES}${CONTROL}][^/\\${CONTROL}]*$`,
  minLength: 1,
  maxLength: MAX_STEM_BYTES,
}

/** Why a `storageFilename` can't be used, or null. It is one segment, without its extension. */
export const filenameProblem = (stem: string): string | null =>
  sizeOf(stem) > MAX_STEM_BYTES ? `must not be longer than ${MAX_STEM_BYTES} bytes` : nameProblem(stem)

export const filename = (stem: string, extension: string): string => `${stem}.${extension}`

interface ObjectPath {
  pathPrefix?: string | undefined
  storagePath?: string | undefined
  filename: string
}

/** Throws for input that the checks above refuse. */
export const objectKey = ({ pathPrefix = '', storagePath = '', filename }: ObjectPath): string => {
  const problem = pathProblem(pathPrefix, MAX_PREFIX_BYTES) ?? pathProblem(storagePath) ?? nameProblem(filename)
  if (problem) throw new RangeError(`The object's name ${problem}`)
  if (segmentProblem(filename) || sizeOf(filename) > MAX_FILENAME_BYTES)
    throw new RangeError('The file name is not safe')
  return [trimSlashes(pathPrefix), trimSlashes(storagePath), filename].filter(Boolean).join('/')
}

export const lastSegmentOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** SigV4 escapes all but `A-Za-z0-9-._~/` (RFC 3986). A bare `+` would be a space for aws4fetch and some servers. */
export const encodeKey = (key: string): string =>
  encodeURIComponent(key)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/')
