import { parseQuery, type Query } from '../../domain/search/query.ts'
import { tokensOf } from '../../domain/search/tokens.ts'
import { randomFrom } from '../../test/support/random-numbers.ts'

export const queryKinds = ['one word', 'two words', 'a phrase', 'a prefix'] as const
export type QueryKind = (typeof queryKinds)[number]

/** Where a word is: the index of the sentence, and of the token in it. */
type Place = [sentence: number, token: number]

/**
 * The words of every second query are drawn as often as they are said, so that "the" is among them. Those of the others
 * are drawn from the vocabulary, in which most words are rare. Words of one query are from one sentence.
 */
export const textsOf = (sentences: readonly string[], kind: QueryKind, count: number): string[] => {
  const random = randomFrom(count)
  const tokens = sentences.map((sentence) => tokensOf(sentence).map(({ text }) => text))
  const said = tokens.flatMap((words, sentence) => words.map((_, token): Place => [sentence, token]))
  const vocabulary = [...Map.groupBy(said, ([sentence, token]) => tokens[sentence]?.[token] as string).values()]
  const any = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value
  return Array.from({ length: count }, (_, index) => {
    const [sentence, token] = index % 2 === 0 ? any(said) : any(any(vocabulary))
    const words = tokens[sentence] as string[]
    const word = words[token] as string
    return {
      'one word': () => word,
      'two words': () => `${word} ${any(words)}`,
      'a phrase': () =>
        `"${words
          .slice(Math.min(token, words.length - 3))
          .slice(0, any([2, 3]))
          .join(' ')}"`,
      'a prefix': () => `${word.slice(0, any([3, 4]))}*`,
    }[kind]()
  })
}

export const queriesOf = (sentences: readonly string[], kind: QueryKind, count: number): Query[] =>
  textsOf(sentences, kind, count).map((text) => parseQuery(text) as Query)
