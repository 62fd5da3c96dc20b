/** What the two ways of writing a word have in common: case, punctuation, hyphens and "Mr." do not count. */
const spoken = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/\bmr\./g, 'mister')
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')

/** Word error rate: words to change, add and remove, for each word that was said. */
export const wordErrorRate = (said: string, heard: string): number => {
  const [reference, hypothesis] = [spoken(said), spoken(heard)]
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
