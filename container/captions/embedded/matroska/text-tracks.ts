import { elementsIn, unsigned } from '../../../source/index/matroska/ebml.ts'
import { type MatroskaFile, trackEntries } from '../../../source/index/matroska/matroska-file.ts'
import type { SparseFile } from '../../../source/index/sparse-file.ts'
import type { EmbeddedTrack, TextFormat } from '../track.ts'

export interface MatroskaTrack extends EmbeddedTrack {
  compression: Compression | null
}

export type Compression = { algorithm: 'zlib' } | { algorithm: 'strippedHeader'; header: Buffer }

const formats: Record<string, TextFormat> = {
  'S_TEXT/UTF8': 'plain',
  'S_TEXT/ASCII': 'plain',
  'S_TEXT/WEBVTT': 'plain',
  'D_WEBVTT/SUBTITLES': 'webm',
  'D_WEBVTT/CAPTIONS': 'webm',
  'S_TEXT/ASS': 'ass',
  'S_TEXT/SSA': 'ass',
  S_ASS: 'ass',
  S_SSA: 'ass',
}

export const matroskaTracks = (file: SparseFile, matroska: MatroskaFile): MatroskaTrack[] =>
  trackEntries(file, matroska).flatMap((entry) => textTrack(entry) ?? [])

const subtitleType = 0x11

const textTrack = (entry: Buffer): MatroskaTrack | null => {
  const fields = new Map(Array.from(elementsIn(entry), ({ id, content }) => [id, content]))
  const text = (id: number) => fields.get(id)?.toString('latin1').split('\0')[0]
  const number = (id: number, otherwise: number) => unsigned(fields.get(id) ?? Buffer.of(otherwise))
  const format = formats[text(0x86) ?? '']
  const compression = compressionOf(fields.get(0x6d80))
  if (number(0x83, 0) !== subtitleType || !format || compression === 'unknown') return null
  return {
    id: number(0xd7, 0),
    // LanguageBCP47, else Language.
    language: text(0x22b59d) ?? text(0x22b59c) ?? 'eng',
    isDefault: number(0x88, 1) === 1,
    isForced: number(0x55aa, 0) === 1,
    format,
    compression,
  }
}

/** RFC 9559, section 5.1.4.1.31: mkvmerge compresses text with zlib by default. Encryption cannot be read. */
const compressionOf = (encodings: Buffer | undefined): Compression | null | 'unknown' => {
  const all = Array.from(elementsIn(encodings ?? Buffer.alloc(0)))
  const [first, ...others] = all.filter(({ id }) => id === 0x6240)
  if (!first) return null
  const fields = Array.from(elementsIn(first.content))
  const compression = fields.find(({ id }) => id === 0x5034)
  if (!compression || others.length > 0) return 'unknown'
  const settings = new Map(Array.from(elementsIn(compression.content), ({ id, content }) => [id, content]))
  const algorithm = unsigned(settings.get(0x4254) ?? Buffer.of(0))
  if (algorithm === 0) return { algorithm: 'zlib' }
  return algorithm === 3 ? { algorithm: 'strippedHeader', header: settings.get(0x4255) ?? Buffer.alloc(0) } : 'unknown'
}
