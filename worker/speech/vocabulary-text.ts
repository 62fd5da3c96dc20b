import type { Vocabulary } from '../../domain/protocol/protocol.ts'

/**
 * The text that Whisper models take: the prompt, then the keywords, which are nearest to what is heard. The models use
 * the last 224 tokens, so the last keywords are left out, and the service drops the beginning of a long prompt. If both
 * are long, each has half.
 */
export const promptOf = ({ prompt, keywords }: Vocabulary): string => {
  const forKeywords = MAX_TOKENS - Math.min(MAX_TOKENS / 2, tokensOf(prompt ?? ''))
  const list = keywordsWithin(keywords, forKeywords).join(', ')
  return [...(prompt === null ? [] : [prompt]), ...(list === '' ? [] : [`${list}.`])].join(' ')
}

const MAX_TOKENS = 220

/** The first keywords, until one does not fit. */
export const keywordsWithin = (keywords: string[], maxTokens: number): string[] => {
  let left = maxTokens
  const end = keywords.findIndex((keyword) => {
    left -= tokensOf(keyword) + 1
    return left < 0
  })
  return end === -1 ? keywords : keywords.slice(0, end)
}

/** An upper bound of Whisper's tokens: half a token for ASCII, one for Greek or Russian, two for Chinese or Thai. */
export const tokensOf = (text: string): number => {
  let tokens = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    tokens += code < 0x80 ? 0.5 : code < 0x800 ? 1 : 2
  }
  return Math.ceil(tokens)
}

/** Whether a text has no words but these. On noise, Whisper repeats what precedes it. */
export const hasOnlyWordsOf = ({ prompt, keywords }: Vocabulary, text: string): boolean => {
  const known = new Set([prompt ?? '', ...keywords].flatMap(wordsIn))
  return wordsIn(text).every((word) => known.has(word))
}

/** Of Chinese and Japanese, which have no spaces between words, the characters. */
const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[\u3040-\u9fff]/gu, ' $& ')
    .match(/[\p{L}\p{N}\p{M}_]+/gu) ?? []
