const MASK = '[redacted]'
const LONGEST = 300

/**
 * A provider's own words, fit for a caller's eyes. OpenAI echoes the first and last letters of a refused
 * key between asterisks, and nobody promises that others never echo more: whatever could be part of the
 * key goes, at the price of a harmless word now and then.
 */
export const redact = (words: string, apiKey: string): string =>
  words
    .slice(0, 4 * LONGEST)
    .replaceAll(apiKey || MASK, MASK)
    .split(/(\s+)/)
    .map((token) => (couldBeOfKey(token, apiKey) ? MASK : token))
    .join('')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST)

const PIECE = 6

const couldBeOfKey = (token: string, apiKey: string): boolean =>
  /\*{2,}|\.{3,}\w|•/u.test(token) ||
  /[\w-]{28,}/.test(token) ||
  piecesOf(apiKey).some((piece) => token.includes(piece))

/** Every six letters in a row, and the last four, which is what masks like to show. */
const piecesOf = (apiKey: string): string[] => [
  ...Array.from({ length: Math.max(0, apiKey.length - PIECE + 1) }, (_, at) => apiKey.slice(at, at + PIECE)),
  apiKey.slice(-4),
]
