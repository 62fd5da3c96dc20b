import { stripVTControlCharacters } from 'node:util'

/**
 * Titles, filenames and messages come from strangers. On a terminal an escape sequence in them could hide text, change
 * the window's title or, with some terminals, type commands.
 */
const marks = String.raw`\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff`
export const invisible = new RegExp(`[\\p{Cc}${marks}]`, 'gu')
const escapedInJson = new RegExp(`[\\u007f-\\u009f${marks}]`, 'g')

/** One line without control characters, escape sequences and marks that change the direction of writing. */
export const printable = (text: string): string => printablePart(text).trim()

/** The same for a part of a line: it may begin and end with a space. */
export const printablePart = (text: string): string =>
  stripVTControlCharacters(text).replace(/\s+/g, ' ').replace(invisible, '')

/** `Length:     12:34` */
export const factLine = (name: string, value: string): string => `${`${name}:`.padEnd(12)}${printable(value)}`

/** Several lines without the same characters. Tabs and line breaks stay. */
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

/** Resolves when the text or the bytes are written, so that a slow reader slows the writer. */
export const writeOut = (data: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(data, (error) => (error ? reject(error) : resolve()))
  })

export const printLine = (line: string): Promise<void> => writeOut(`${line}\n`)

export const printJson = (value: unknown): Promise<void> => printLine(printableJson(value, 2))

/** Text from a source. A pipe gets it as it is. */
export const printText = (text: string): Promise<void> => writeOut(process.stdout.isTTY ? printableLines(text) : text)

/** The reader of a pipe may stop before the end, as `head` does. That is no error. */
export const endQuietlyWithoutReader = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  // Messages that nobody can read are not worth a crash.
  process.stderr.on('error', () => {})
}

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const

export type Color = keyof typeof codes

/** https://no-color.org: any value but an empty one. */
const hasColors = (stream: { isTTY?: boolean }): boolean =>
  stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'

/** Paints text for a stream, unless it is not a terminal or NO_COLOR is set. */
export const painter =
  (stream: { isTTY?: boolean }) =>
  (color: Color, text: string): string => {
    const [on, off] = codes[color]
    return hasColors(stream) ? `\u001b[${on}m${text}\u001b[${off}m` : text
  }
