import { shown } from '../../domain/text-rule.ts'

export const maxTitleCharacters = 500

/** Without half of a surrogate pair at the end, and without control characters. */
export const shortened = (text: string | undefined, characters: number): string | null =>
  text === undefined ? null : shown(text.slice(0, characters).replace(/[\ud800-\udbff]$/, ''))
