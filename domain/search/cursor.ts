import { fromBase64, toBase64Url, utf8 } from '../encoding.ts'

/** Where a page of results ended. */
export interface SearchCursor {
  /** Of the last passage. */
  id: number
  /** Of a search by relevance: what its first page has ranked, and how. */
  ranking?: Ranking & { score: number }
}

/** Later pages rank the same passages with the same weights, whatever has been said since. */
export interface Ranking {
  lowest: number
  highest: number
  /** Of each phrase. */
  weights: number[]
}

export const cursorText = ({ id, ranking }: SearchCursor): string => {
  const numbers = ranking ? [id, ranking.score, ranking.lowest, ranking.highest, ...ranking.weights] : [id]
  return toBase64Url(utf8(JSON.stringify(numbers)))
}

/** null: it is none. */
export const readCursor = (text: string): SearchCursor | null => {
  try {
    const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
    const numbers: unknown = JSON.parse(new TextDecoder().decode(fromBase64(base64)))
    if (!Array.isArray(numbers) || !numbers.every(Number.isFinite)) return null
    const [id, score, lowest, highest, ...weights] = numbers as number[]
    if (numbers.length === 1 && id !== undefined) return { id }
    if (id === undefined || score === undefined || lowest === undefined || highest === undefined) return null
    return { id, ranking: { score, lowest, highest, weights } }
  } catch {
    return null
  }
}
