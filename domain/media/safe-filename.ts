/** Leaves room for the extension within the 255 bytes of most file systems. */
export const MAX_SAFE_BYTES = 180

/** Every file system accepts the name: it has no separators, control or bidi characters, and Windows allows it. */
export const filenameOf = (title: string, extension: string): string => {
  const base = withoutDotsAtEnd(withoutDotsAtStart(cutToBytes(withSafeCharacters(title), MAX_SAFE_BYTES)))
  const free = withoutDeviceName(base).replace(/^thumbnail$/i, '$&_')
  return `${free === '' ? 'media' : free}.${extension}`
}

export const withSafeCharacters = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[/\\:*?"<>|]/g, '_')
    .replace(/\s+/g, ' ')

/** And without spaces there. */
export const withoutDotsAtStart = (name: string): string => name.replace(/^[. ]+/, '')
export const withoutDotsAtEnd = (name: string): string => name.replace(/(?<![. ])[. ]+$/, '')

/** Windows reserves a device's name with any extension. */
export const withoutDeviceName = (name: string): string =>
  name.replace(/^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i, '$&_')

/** Cuts between graphemes, such as emoji sequences. Only a first one that is longer than the limit is split. */
export const cutToBytes = (text: string, maxBytes: number): string =>
  cutBetween(graphemesOf(text), maxBytes) || cutBetween(text, maxBytes)

function* graphemesOf(text: string): Generator<string> {
  for (const { segment } of new Intl.Segmenter().segment(text)) yield segment
}

const cutBetween = (pieces: Iterable<string>, maxBytes: number): string => {
  let bytes = 0
  let kept = ''
  for (const piece of pieces) {
    bytes += new TextEncoder().encode(piece).byteLength
    if (bytes > maxBytes) break
    kept += piece
  }
  return kept
}
