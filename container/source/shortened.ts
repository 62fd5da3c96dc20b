export const maxTitleCharacters = 500

/** Without half of a surrogate pair at the end. */
export const shortened = (text: string | undefined, characters: number): string | null =>
  text === undefined ? null : text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')
