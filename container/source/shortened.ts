export const maxTitleCharacters = 500

/** They change how the text around them is shown, in a terminal, a log or a list. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Without half of a surrogate pair at the end, and without control characters. */
export const shortened = (text: string | undefined, characters: number): string | null =>
  text === undefined
    ? null
    : text
        .slice(0, characters)
        .replace(/[\ud800-\udbff]$/, '')
        .replace(directions, '')
        .replace(/\p{Cc}/gu, ' ')
