const MOST_BYTES = 180

/**
 * A title as a file name that every file system takes: no separators, no control or bidi characters, no
 * name that Windows keeps for itself, and short enough to leave room for the extension.
 */
export const filenameOf = (title: string, extension: string): string => {
  const cleaned = title
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[/\\:*?"<>|]/g, '_')
    .replace(/\s+/g, ' ')
  const base = shortened(cleaned).replace(/^[. ]+|[. ]+$/g, '')
  const isReserved = /^(?:con|prn|aux|nul|com\d|lpt\d|thumbnail)$/i.test(base)
  return `${base === '' ? 'media' : base}${isReserved ? '_' : ''}.${extension}`
}

/** Cut between characters and never inside of one. */
const shortened = (text: string): string => {
  let bytes = 0
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += new TextEncoder().encode(segment).byteLength
    if (bytes > MOST_BYTES) break
    kept += segment
  }
  return kept
}
