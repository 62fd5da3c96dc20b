import { sha256Hex } from '../secrets/api-keys.ts'

/**
 * What a search may ask for beside words is a token of each passage too, so that the index combines it with words. The
 * first character is of no script, so no word is such a token.
 */
const MARK = '\uE000'
/** 48 bits. */
const HEX_DIGITS = 12

interface Facts {
  language: string
  keyId: string
  watchId: string
  metadata: Record<string, string>
  speaker: string
}

type Asked = { [Name in keyof Facts]?: Facts[Name] | undefined }

/** A language is also found by its first part: `en-US` by `en`. */
export const factsOf = ({ language, keyId, watchId, metadata = {}, speaker }: Asked): string[] => {
  const tag = language?.toLowerCase().replaceAll('_', '-')
  const languages = tag === undefined ? [] : [...new Set([tag, tag.split('-')[0]])]
  return [
    ...languages.map((each) => `language ${each}`),
    ...(keyId === undefined ? [] : [`key ${keyId}`]),
    ...(watchId === undefined ? [] : [`watch ${watchId}`]),
    ...Object.entries(metadata).map((pair) => `metadata ${JSON.stringify(pair)}`),
    ...(speaker === undefined ? [] : [`speaker ${speaker}`]),
  ]
}

/** What a search asks for: the language as it is given. */
export const askedFacts = ({ language, ...facts }: Asked): string[] => {
  const tag = language === undefined ? [] : factsOf({ language }).slice(0, 1)
  return [...tag, ...factsOf(facts)]
}

export const factToken = async (fact: string): Promise<string> =>
  `${MARK}${(await sha256Hex(fact)).slice(0, HEX_DIGITS)}`

export const factTokens = (facts: string[]): Promise<string[]> => Promise.all(facts.map(factToken))
