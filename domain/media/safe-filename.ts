/** Leaves room for the extension within the 255 bytes of most file systems. */
const MAX_STEM_BYTES = 180

/**
 * Makes a file name from a title that every file system accepts: without separators, control or bidi characters,
 * and not a name that Windows reserves.
 */
export const filenameOf = (title: string, extension: string): string => {
  const cleaned = title
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[/\\:*?"<>|]/g, '_')
    .replace(/\s+/g, ' ')
  const base = cutToBytes(cleaned, MAX_STEM_BYTES).replace(/^[. ]+|(?<![. ])[. ]+$/g, '')
  const isReserved = /^(?:con|prn|aux|nul|com\d|lpt\d|thumbnail)$/i.test(base)
  return `${base === '' ? 'media' : base}${isReserved ? '_' : ''}.${extension}`
}

/** Cuts at grapheme borders, so that no character (an emoji sequence, for example) is split. */
export const cutToBytes = (text: string, maxBytes: number): string => {
  let bytes = 0
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += new TextEncoder().encode(segment).byteLength
    if (bytes > maxBytes) break
    kept += segment
  }
  return kept
}
