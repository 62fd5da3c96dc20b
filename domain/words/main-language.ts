/** A part of a recording, and the language that was heard in it. */
export interface HeardPart {
  /** null: no speech. */
  language: string | null
  letters: number
  /** From 0 to 1. Absent: the engine does not tell. */
  probability?: number | undefined
}

/**
 * The language with the most text, because a jingle at the start is often detected as another language. It is as sure as it
 * was in its parts, each by its letters.
 */
export const mainLanguage = (
  parts: Iterable<HeardPart>,
): { language: string | null; languageProbability: number | null } => {
  const heard = new Map<string, Heard>()
  for (const { language, letters, probability } of parts) {
    if (language === null) continue
    const { letters: before, known, certainty } = heard.get(language) ?? { letters: 0, known: 0, certainty: 0 }
    // A part without letters has a probability too.
    const weight = probability === undefined ? 0 : Math.max(1, letters)
    heard.set(language, {
      letters: before + letters,
      known: known + weight,
      certainty: certainty + weight * (probability ?? 0),
    })
  }
  const [most] = [...heard].sort(([, one], [, other]) => other.letters - one.letters)
  if (!most) return { language: null, languageProbability: null }
  const [language, { known, certainty }] = most
  return { language, languageProbability: known > 0 ? Math.round((certainty / known) * 1_000) / 1_000 : null }
}

/** `known`: letters whose probability is known. `certainty`: these, each times its probability. */
interface Heard {
  letters: number
  known: number
  certainty: number
}
