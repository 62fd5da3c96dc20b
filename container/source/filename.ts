import { isUtf8 } from 'node:buffer'
import { decodeExtended, parse } from 'content-disposition'
import { cutToBytes } from '../../domain/media/safe-filename.ts'

/** Most file systems allow 255 bytes. The rest is for suffixes that other programs add. */
const maxBytes = 200
/** Longer headers are ignored, and longer names cut before they are cleaned: some patterns here take quadratic time. */
const maxHeaderCharacters = 4_096
const maxNameCharacters = 1_000

/** The file name in a Content-Disposition header, safe as a base name on any system. null when there is none. */
export function fileNameOf(header: string | null): string | null {
  if (!header || header.length > maxHeaderCharacters) return null
  // Node decodes header bytes as Latin-1. Bytes that are valid UTF-8 were meant as UTF-8.
  const { parameters } = parse(asUtf8(header).replace(/^\s*(?=filename\*?=)/i, 'attachment; '))
  const named = extended(parameters['filename*']) ?? plain(parameters.filename) ?? plain(unclosed(header))
  return named === null ? null : safeName(named)
}

/** The last part of a URL's path, or its host: the name of a file without a Content-Disposition. */
export function nameInUrl(url: string): string {
  const { pathname, hostname } = new URL(url)
  const last = pathname.split('/').findLast((part) => part !== '')
  return safeName(percentDecoded(last ?? '')) ?? hostname
}

export const stemOf = (name: string): string => name.replace(/(?<=.)\.[a-z0-9]{1,5}$/i, '')

function extended(value: string | undefined): string | null {
  // The parser decodes RFC 8187 values, but not those in quotes.
  return (value && decodeExtended(value)) || null
}

function plain(value: string | undefined): string | null {
  if (!value) return null
  return encodedWords(percentDecoded(value))
}

const unclosed = (header: string) => /filename="([^"]+)$/i.exec(asUtf8(header))?.[1]

function asUtf8(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) && bytes.toString('latin1') === latin1 ? bytes.toString('utf8') : latin1
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** RFC 2047 encoded words are for mail and not for HTTP, but some origins send them. */
function encodedWords(text: string): string {
  return text.replace(/=\?utf-8\?([bq])\?([^?]*)\?=\s*/gi, (_word, encoding: string, value: string) =>
    encoding.toLowerCase() === 'b'
      ? Buffer.from(value, 'base64').toString()
      : asUtf8(
          value
            .replaceAll('_', ' ')
            .replace(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        ),
  )
}

/** Control, bidirectional and invisible characters: with them `gpj.exe` can be displayed as `exe.jpg`. */
const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu
const reservedOnWindows = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

const trailing = /(?<![\s.])[\s.]+$/

function safeName(name: string): string | null {
  const last = name.split(/[/\\]/).findLast((part) => /[^\s.]/.test(part)) ?? ''
  const clean = last
    .slice(0, maxNameCharacters)
    .normalize('NFC')
    .replace(invisible, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[\s.]+/, '')
    .replace(trailing, '')
    .replace(reservedOnWindows, '_$1')
  return clean === '' ? null : withinLimit(clean)
}

function withinLimit(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name
  const extension = name.slice(stemOf(name).length)
  return cutToBytes(stemOf(name), maxBytes - Buffer.byteLength(extension)).replace(trailing, '') + extension
}
