/** @typedef {Record<'title' | 'place' | 'text' | 'href', string> & {kind: keyof typeof kindScores}} Entry */

/** Among equal matches, the kind that more readers want comes first. */
const kindScores = { guide: 3, endpoint: 2, code: 1, field: 0, site: 0 }

/** Titles. There are many sites, so one comes first only if the query is its name. */
const titleScores = { begins: 12, has: 8 }
const siteScores = { begins: 3, has: 1 }

/**
 * The entries that have every word of the query, best first: in the title before its place, and that before its text.
 * @param {Entry[]} entries
 * @param {string} query
 */
export const bestMatches = (entries, query) => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ entry }) => entry)
}

/** @param {Entry} entry @param {string[]} words */
const scoreOf = (entry, words) => {
  const scores = words.map((word) => wordScore(entry, word))
  if (scores.includes(0)) return 0
  return scores.reduce((sum, score) => sum + score) * 10 + kindScores[entry.kind]
}

/** @param {Entry} entry @param {string} word @returns {number} */
const wordScore = ({ kind, title, place, text }, word) => {
  const name = title.toLowerCase()
  const scores = kind === 'site' ? siteScores : titleScores
  if (name === word) return 20
  if (startsWord(name, word)) return scores.begins
  if (name.includes(word)) return scores.has
  if (place.toLowerCase().includes(word)) return 4
  return text.toLowerCase().includes(word) ? 2 : 0
}

/** @param {string} text @param {string} word */
const startsWord = (text, word) => {
  const at = text.indexOf(word)
  return at === 0 || (at > 0 && /[^a-z0-9]/.test(text[at - 1] ?? ''))
}
