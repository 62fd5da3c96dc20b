import { isMetadataKey, METADATA_KEY } from '../jobs/job-metadata.ts'
import {
  cutToBytes,
  MAX_SAFE_BYTES,
  withoutDeviceName,
  withoutDotsAtEnd,
  withoutDotsAtStart,
  withSafeCharacters,
} from '../media/safe-filename.ts'
import { CONTROL, type TextRule } from '../text-rule.ts'
import { characterProblem, MAX_FILENAME_BYTES, MAX_PATH_BYTES, segmentProblem, sizeOf } from './object-name.ts'

/**
 * A `storageKey` is a template of keys in a bucket, such as `{uploader}/{date}/{title}.{ext}`: names in braces, and text that
 * is used as it is. A value stays within its segment. Values are cut where a segment would be too long, and then text. The
 * folders have at most MAX_PATH_BYTES and each file name that is made here at most MAX_FILENAME_BYTES, so that every key
 * fits below any pathPrefix.
 */

export interface KeyValues {
  uploader: string | null
  title: string | null
  id: string | null
  extractor: string | null
  /** ISO 8601. */
  publishedAt: string | null
  createdAt: number
  playlist: string | null
  /** In a list, from 0. */
  index: number | null
  jobId: string
  /** One of ours, so it is safe. */
  ext: string
  metadata: Record<string, string>
}

type ValueOf = (values: KeyValues) => string | null | undefined

const names: Record<string, ValueOf> = {
  uploader: ({ uploader }) => uploader,
  title: ({ title }) => title,
  id: ({ id }) => id,
  extractor: ({ extractor }) => extractor,
  date: (values) => dayOf(values),
  year: (values) => dayOf(values).slice(0, 4),
  month: (values) => dayOf(values).slice(5, 7),
  day: (values) => dayOf(values).slice(8),
  playlist: ({ playlist }) => playlist,
  index: ({ index }) => `${(index ?? 0) + 1}`.padStart(3, '0'),
  jobId: ({ jobId }) => jobId,
  ext: ({ ext }) => ext,
}

/** The source's day in UTC, else the job's, as 2026-11-27. */
const dayOf = ({ publishedAt, createdAt }: KeyValues): string => {
  const published = new Date(publishedAt ?? Number.NaN)
  const day = Number.isNaN(published.getTime()) ? '' : published.toISOString().split('T')[0]
  // Years before 0 and after 9999 have a sign.
  return day?.length === 10 ? day : new Date(createdAt).toISOString().slice(0, 10)
}

const METADATA = 'metadata.'

const valueNamed = (name: string): ValueOf | null => {
  if (Object.hasOwn(names, name)) return names[name] ?? null
  const key = name.startsWith(METADATA) ? name.slice(METADATA.length) : ''
  return isMetadataKey(key) ? ({ metadata }) => (Object.hasOwn(metadata, key) ? metadata[key] : null) : null
}

/** A string is text of the template. */
type Part = string | ValueOf

interface Template {
  folders: Part[][]
  /** The file name without `.{ext}`. */
  stem: Part[]
}

const MAX_CHARACTERS = 500
const MAX_SEGMENTS = 20
const END = '.{ext}'

/** What JSON Schema can say of it. */
const CHARACTER = String.raw`[^/\\{}${CONTROL}]`
/** The brace is the end of the text that the key's rule speaks of. */
const KEY = METADATA_KEY.replace('$', String.raw`\}`)
const NAME = String.raw`\{(?:${Object.keys(names).join('|')}|metadata\.${KEY})\}`
const SEGMENT = `(?:${CHARACTER}|${NAME})+`
const FOLDER = String.raw`(?!\.{1,2}/)${SEGMENT}/`
const FILE = String.raw`(?!\.{1,3}\{ext\}$)${SEGMENT}\.\{ext\}`

export const storageKeyRule: TextRule = {
  pattern: `^(?:${FOLDER}){0,${MAX_SEGMENTS - 1}}${FILE}$`,
  maxLength: MAX_CHARACTERS,
}

/** Why a `storageKey` can't be used, or null. */
export const storageKeyProblem = (template: string): string | null => {
  const parsed = parse(template)
  return typeof parsed === 'string' ? parsed : null
}

/** Whether another job with the same request would have another key. */
export const isOfOneJob = (template: string): boolean => /\{(?:jobId|index|playlist|metadata\.)/.test(template)

const TOKENS = /\{([^{}]*)\}|[{}/]|[^{}/]+/g

/** Returns the problem of a template that can't be used. */
const parse = (template: string): Template | string => {
  if (template.length > MAX_CHARACTERS) return `must not be longer than ${MAX_CHARACTERS} characters`
  const problem = characterProblem(template)
  if (problem) return problem
  if (!template.endsWith(END)) return `must end with ${END}`
  let stem: Part[] = []
  const folders: Part[][] = []
  for (const { 0: token, 1: name, index } of template.slice(0, -END.length).matchAll(TOKENS)) {
    const place = `at character ${index + 1}`
    if (token === '{') return `has a { without its } ${place}`
    if (token === '}') return `has a } without its { ${place}`
    if (token === '/') {
      const emptyOrDots = literalProblem(stem)
      if (emptyOrDots) return `${emptyOrDots} ${place}`
      folders.push(stem)
      stem = []
      continue
    }
    const part = name === undefined ? token : valueNamed(name)
    if (part === null) return `has an unknown name ${token} ${place}; the names are ${allNames}`
    stem.push(part)
  }
  if (folders.length >= MAX_SEGMENTS) return `must not have more than ${MAX_SEGMENTS} segments`
  return literalProblem(stem) ? `must have a name before ${END}` : { folders, stem }
}

const allNames = [...Object.keys(names), `${METADATA}KEY`].join(', ')

const isText = (part: Part): part is string => typeof part === 'string'

const literalProblem = (parts: Part[]): string | null => (parts.every(isText) ? segmentProblem(parts.join('')) : null)

/** Throws for a template that the check above refuses. */
export const storageKeyOf = (template: string, values: KeyValues): string => {
  const parsed = parse(template)
  if (typeof parsed === 'string') throw new RangeError(`The storageKey ${parsed}`)
  const { folders, stem } = parsed
  const sizes = folders.map((parts) => sizeOf(segmentOf(parts, values, MAX_SAFE_BYTES)))
  const slashes = folders.length - 1
  const most = limitForAll(sizes, MAX_PATH_BYTES - slashes)
  const path = folders.map((parts) => `${segmentOf(parts, values, most)}/`).join('')
  return `${path}${segmentOf(stem, values, MAX_SAFE_BYTES)}.${values.ext}`
}

/** The largest that each may have for all to fit: the longest are cut first. */
const limitForAll = (sizes: number[], room: number): number => {
  let most = MAX_SAFE_BYTES
  while (most > 0 && total(sizes.map((size) => Math.min(size, most))) > room) most--
  return most
}

/** A long value is cut, and not what follows it: in `{title} [{id}]` the id makes the name unique. */
const segmentOf = (parts: Part[], values: KeyValues, maxBytes: number): string => {
  if (parts.every(isText)) return cutToBytes(parts.join(''), maxBytes)
  const texts = parts.map((part, at) => {
    if (isText(part)) return { text: part, isValue: false }
    const value = safeValue(part(values))
    return { text: at === 0 ? withoutDotsAtStart(value) : value, isValue: true }
  })
  const sizesOf = (kind: boolean) => texts.flatMap(({ text, isValue }) => (isValue === kind ? sizeOf(text) : []))
  const most = limitForAll(sizesOf(true), maxBytes - total(sizesOf(false)))
  const fitting = texts.map(({ text, isValue }, at) => {
    if (!isValue) return text
    const cut = cutToBytes(text, most)
    return cut !== text || at === texts.length - 1 ? withoutDotsAtEnd(cut) : cut
  })
  const segment = withoutDeviceName(fitting.join(''))
  const cut = cutToBytes(segment, maxBytes)
  return orUnknown(cut === segment ? cut : withoutDotsAtEnd(cut))
}

const total = (sizes: number[]): number => sizes.reduce((sum, size) => sum + size, 0)

const safeValue = (value: string | null | undefined): string => orUnknown(withSafeCharacters(value ?? '').trim())

const orUnknown = (text: string): string => (/^[. ]*$/.test(text) ? 'unknown' : text)

/** What is added to the name of a media file without its extension, such as `.transcript.en.json`. */
const MAX_SUFFIX_BYTES = 64
const MAX_ID_BYTES = 100

/** The key of a file that lies beside the media. `ext` is that of the media. */
export const companionKey = (key: string, ext: string, suffix: string): string =>
  withSuffix(key, ext, suffix, MAX_FILENAME_BYTES)

/** The first that is free is used. */
export const alternativeKeys = (key: string, ext: string, { id, jobId }: Pick<KeyValues, 'id' | 'jobId'>): string[] => {
  const marked = (mark: string) => withSuffix(key, ext, ` [${mark}].${ext}`, MAX_FILENAME_BYTES - MAX_SUFFIX_BYTES)
  return [key, ...(id ? [marked(cutToBytes(safeValue(id), MAX_ID_BYTES))] : []), marked(jobId)]
}

const withSuffix = (key: string, ext: string, suffix: string, maxBytes: number): string => {
  const at = key.lastIndexOf('/') + 1
  const stem = key.slice(at, -ext.length - 1)
  const room = maxBytes - sizeOf(suffix)
  return `${key.slice(0, at)}${sizeOf(stem) <= room ? stem : withoutDotsAtEnd(cutToBytes(stem, room))}${suffix}`
}
