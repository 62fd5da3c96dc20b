/** Words without case, punctuation and hyphens, and with "Mr." as "mister". */
const normalizedWords = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/\bmr\./g, 'mister')
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')

/** Word error rate: substitutions, insertions and deletions per spoken word. */
export const wordErrorRate = (spoken: string, recognized: string): number => {
  const [reference, hypothesis] = [normalizedWords(spoken), normalizedWords(recognized)]
  let row = hypothesis.map((_, index) => index + 1)
  for (const [index, word] of reference.entries()) {
    let diagonal = index
    let left = index + 1
    row = row.map((above, column) => {
      const best = Math.min(above + 1, left + 1, diagonal + (hypothesis[column] === word ? 0 : 1))
      diagonal = above
      left = best
      return best
    })
  }
  return (row.at(-1) ?? reference.length) / reference.length
}
