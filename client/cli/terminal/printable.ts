import { stripVTControlCharacters } from 'node:util'

/**
 * Titles, filenames and messages come from strangers. On a terminal an escape sequence in them could hide text, change
 * the window's title or, with some terminals, type commands.
 */
const marks = String.raw`\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff`
export const invisible = new RegExp(`[\\p{Cc}${marks}]`, 'gu')
const escapedInJson = new RegExp(`[\\u007f-\\u009f${marks}]`, 'g')

/** One line without control characters, escape sequences and marks that change the direction of writing. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text).replace(/\s+/g, ' ').replace(invisible, '').trim()

/** A text of several lines as it can be printed. Its tabs and line breaks stay. */
export const printableLines = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(invisible, (character) => (character === '\n' || character === '\t' ? character : ''))

/** JSON with the control characters escaped that JSON allows in strings. */
export const printableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    escapedInJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
