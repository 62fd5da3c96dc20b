import { isUtf8 } from 'node:buffer'
import { decodeExtended, parse } from 'content-disposition'

/** Room for what others add: most file systems take 255 bytes. */
const maxBytes = 200

/** The file's name in a Content-Disposition, safe as a base name on any system; null when it has none. */
export function fileNameOf(header: string | null): string | null {
  if (!header) return null
  // A header's bytes come as Latin-1; what is valid UTF-8 was meant as such.
  const { parameters } = parse(asUtf8(header).replace(/^\s*(?=filename\*?=)/i, 'attachment; '))
  const named = extended(parameters['filename*']) ?? plain(parameters.filename) ?? plain(unclosed(header))
  return named === null ? null : safeName(named)
}

/** The last part of a URL's path, or its host: something to call a file that nobody named. */
export function nameInUrl(url: string): string {
  const { pathname, hostname } = new URL(url)
  const last = pathname.split('/').findLast((part) => part !== '')
  return safeName(percentDecoded(last ?? '')) ?? hostname
}

/** Without what looks like an extension. */
export const stemOf = (name: string): string => name.replace(/(?<=.)\.[a-z0-9]{1,5}$/i, '')

function extended(value: string | undefined): string | null {
  // The parser decodes RFC 8187, but not when the origin put quotes around it.
  return (value && decodeExtended(value)) || null
}

function plain(value: string | undefined): string | null {
  if (!value) return null
  return encodedWords(percentDecoded(value))
}

/** `filename="a.mp4` with no second quote. */
const unclosed = (header: string) => /filename="([^"]+)$/i.exec(asUtf8(header))?.[1]

function asUtf8(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) && bytes.toString('latin1') === latin1 ? bytes.toString('utf8') : latin1
}

/** Browsers decode %-escapes in plain names, so origins send them. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** RFC 2047, which mail has and HTTP has not; sent all the same. */
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

/** Controls, and what turns the direction of text around or cannot be seen: `gpj.exe` dressed as `exe.jpg`. */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu
const reservedOnWindows = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

function safeName(name: string): string | null {
  const last = name.split(/[/\\]/).findLast((part) => /[^\s.]/.test(part)) ?? ''
  const clean = last
    .normalize('NFC')
    .replace(unseen, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '')
    .replace(reservedOnWindows, '_$1')
  return clean === '' ? null : shortened(clean)
}

/** Cut between characters, with the extension kept. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name
  const extension = name.slice(stemOf(name).length)
  const room = maxBytes - Buffer.byteLength(extension)
  let stem = ''
  for (const { segment } of new Intl.Segmenter().segment(stemOf(name))) {
    if (Buffer.byteLength(stem) + Buffer.byteLength(segment) > room) break
    stem += segment
  }
  return stem.trimEnd() + extension
}
