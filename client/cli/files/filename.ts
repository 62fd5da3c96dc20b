import { stripVTControlCharacters } from 'node:util'
import { invisible } from '../terminal/printable.ts'

/** Room for ` (2)`, `.part` and a job id within the 255 bytes of most file systems. */
const MAX_BYTES = 200

/**
 * A name from a source, without a path, control characters and names that Windows reserves. The API's names are safe
 * already; this keeps a file in its folder whatever an API answers.
 */
export const safeFilename = (name: string): string => {
  const cleaned = stripVTControlCharacters(name)
    .normalize('NFC')
    .replace(invisible, '')
    .replace(/[/\\:*?"<>|]/g, '_')
    .replace(/^[\s.-]+|[\s.]+$/g, '')
  const { stem, extension } = splitName(cleaned)
  const free = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(stem) ? `${stem}_` : stem
  const room = MAX_BYTES - Buffer.byteLength(extension)
  return `${cutToBytes(free, room) || 'media'}${extension}`
}

/** `talk (2).mp4` */
export const numberedFilename = (name: string, number: number): string => {
  const { stem, extension } = splitName(name)
  return `${stem} (${number})${extension}`
}

const splitName = (name: string): { stem: string; extension: string } => {
  const [, stem = name, extension = ''] = /^(.+)(\.[A-Za-z0-9]{1,10})$/s.exec(name) ?? []
  return { stem, extension }
}

const cutToBytes = (text: string, maxBytes: number): string => {
  let kept = ''
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    kept += character
  }
  return kept.trimEnd()
}
