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
