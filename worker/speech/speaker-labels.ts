import type { Segment } from '../../domain/words/segment.ts'

/**
 * Names the speakers of all pieces "A", "B" and so on, in order of their first appearance. A provider labels each piece
 * anew: its speaker 0 of one piece need not be its speaker 0 of another. So a letter names a speaker of one piece, and
 * the speakers of the next piece have new letters. A word without a label has that of its segment.
 *
 * `known` are the names that the caller has given to the provider with samples of their voices. They stay as they are,
 * in all pieces.
 */
export const labelSpeakers = (pieces: Segment[][], known: string[]): Segment[][] => {
  const names = unusedLetters(known)
  return pieces.map((segments) => {
    const labels = new Map(known.map((name) => [name, name]))
    const labelOf = (speaker: string | undefined): { speaker?: string } => {
      if (speaker === undefined) return {}
      const label = labels.get(speaker) ?? names.next().value
      labels.set(speaker, label)
      return { speaker: label }
    }
    return segments.map(({ words, ...segment }) => ({
      ...segment,
      ...labelOf(segment.speaker),
      ...(words && { words: words.map((word) => ({ ...word, ...labelOf(word.speaker ?? segment.speaker) })) }),
    }))
  })
}

function* unusedLetters(used: string[]): Generator<string, never> {
  for (let number = 0; ; number++) {
    const letters = lettersOf(number)
    if (!used.includes(letters)) yield letters
  }
}

/** A to Z, AA, AB and so on. */
const lettersOf = (number: number): string =>
  (number < 26 ? '' : lettersOf(Math.floor(number / 26) - 1)) + String.fromCharCode(65 + (number % 26))
