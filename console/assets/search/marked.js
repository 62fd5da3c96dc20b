/**
 * The parts of a text, those that match and those between them. A match outside of the text is left out.
 * @param {string} text
 * @param {readonly (readonly number[])[]} matches Offsets and lengths, in order.
 * @returns {{text: string, isMatch: boolean}[]}
 */
export const partsOf = (text, matches) => {
  const parts = []
  let at = 0
  for (const [offset = 0, length = 0] of matches) {
    const end = Math.min(offset + length, text.length)
    const start = Math.max(offset, at)
    if (start >= end) continue
    parts.push({ text: text.slice(at, start), isMatch: false }, { text: text.slice(start, end), isMatch: true })
    at = end
  }
  return [...parts, { text: text.slice(at), isMatch: false }].filter((part) => part.text !== '')
}
