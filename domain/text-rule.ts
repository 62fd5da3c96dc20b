/** A rule for a text, as JSON Schema can express it. */
export interface TextRule {
  /** Works in every implementation of regular expressions: without flags, lookbehind and Unicode classes. */
  pattern: string
  minLength?: number
  /** The limit in characters. A rule that counts bytes allows as many characters. */
  maxLength: number
}

/** Control characters, within a class. */
export const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`

/** Control characters, with separators of lines and characters that change the direction of the text around them. */
export const UNSHOWN = String.raw`${CONTROL}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`
const unshown = new RegExp(`[${UNSHOWN}]`)
export const hasUnshown = (text: string): boolean => unshown.test(text)

export const fits = ({ pattern, minLength = 0, maxLength }: TextRule, text: string): boolean =>
  text.length >= minLength && text.length <= maxLength && new RegExp(pattern).test(text)
