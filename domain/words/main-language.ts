export interface HeardPart {
  /** null: no speech. */
  language: string | null
  letters: number
  /** From 0 to 1. Absent: the engine does not tell. */
  probability?: number | undefined
}

/** The language with the most text, because a jingle at the start is often detected as another one. */
export const mainLanguage = (
  parts: Iterable<HeardPart>,
): { language: string | null; languageProbability: number | null } => {
  const spoken = Array.from(parts).filter(({ language }) => language !== null)
  const languages = Array.from(Map.groupBy(spoken, ({ language }) => language))
  const [most] = languages.sort(([, one], [, other]) => sum(other, lettersOf) - sum(one, lettersOf))
  if (!most) return { language: null, languageProbability: null }
  const [language, heard] = most
  const known = heard.filter(({ probability }) => probability !== undefined)
  // A part without letters has a probability too.
  const weight = ({ letters }: HeardPart) => Math.max(1, letters)
  const certainty = sum(known, (part) => weight(part) * (part.probability ?? 0)) / sum(known, weight)
  return { language, languageProbability: known.length > 0 ? Math.round(certainty * 1_000) / 1_000 : null }
}

const lettersOf = ({ letters }: HeardPart): number => letters

const sum = (parts: HeardPart[], measure: (part: HeardPart) => number): number =>
  parts.reduce((total, part) => total + measure(part), 0)
