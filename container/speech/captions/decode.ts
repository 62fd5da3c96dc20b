import { CaptionsTooLarge, maxBytes } from './cue.ts'

/** Bytes of whatever age to text: UTF-8, else UTF-16 by its mark, else what Windows wrote. */
export const decode = (bytes: Uint8Array): string => {
  if (bytes.byteLength > maxBytes) throw new CaptionsTooLarge(`more than ${maxBytes} bytes`)
  const marked = markedEncoding(bytes)
  if (marked) return new TextDecoder(marked).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const markedEncoding = (bytes: Uint8Array) => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}
