/** A rule for a text, as JSON Schema can express it. */
export interface TextRule {
  /** Works in every implementation of regular expressions: without flags, lookbehind and Unicode classes. */
  pattern: string
  minLength?: number
  /** The limit in characters. A rule that counts bytes allows as many characters. */
  maxLength: number
}

export const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`

/** They change how the text around them is shown. */
const DIRECTIONS = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`

/** Control characters, with separators of lines and characters that change the direction of the text around them. */
export const UNSHOWN = String.raw`${CONTROL}\u2028\u2029${DIRECTIONS}`
const unshown = new RegExp(`[${UNSHOWN}]`)
export const hasUnshown = (text: string): boolean => unshown.test(text)

/** As lists, terminals and players may show it: of a stranger, or of what an engine has heard. */
export const shown = (text: string): string => text.replace(directions, '').replace(/\p{Cc}/gu, ' ')
const directions = new RegExp(`[${DIRECTIONS}]`, 'g')

export const fits = ({ pattern, minLength = 0, maxLength }: TextRule, text: string): boolean =>
  text.length >= minLength && text.length <= maxLength && new RegExp(pattern).test(text)
