/** So many words in a row may be what is repeated. */
const LONGEST = 8
const TIMES = 3

/** Whether the same words stand three times and more in a row, where they were not said so often. */
export const hasLoop = (text: string, said = ''): boolean => {
  const spoken = ` ${wordsIn(said).join(' ')} `
  const words = wordsIn(text)
  return words.some((_, at) =>
    Array.from({ length: LONGEST }, (_, index) => index + 1).some((length) => {
      const repeated = words.slice(at, at + length).join(' ')
      const row = Array(TIMES).fill(repeated).join(' ')
      return words.slice(at, at + TIMES * length).join(' ') === row && !spoken.includes(` ${row} `)
    }),
  )
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []
