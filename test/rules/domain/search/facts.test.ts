import { expect, test } from 'vitest'
import { askedFacts, factsOf, factToken } from '../../../../domain/search/facts.ts'
import { tokensOf } from '../../../../domain/search/tokens.ts'

const passage = factsOf({
  language: 'en_US',
  keyId: 'key_1',
  watchId: 'wat_1',
  metadata: { show: 'one', 'show one': '' },
  speaker: 'A',
})

test.each([
  { language: 'EN-us' },
  { language: 'en' },
  { keyId: 'key_1' },
  { watchId: 'wat_1' },
  { metadata: { show: 'one' } },
  { speaker: 'A', language: 'en' },
  {},
])('%j is asked of a passage that has it', (asked) =>
  expect(askedFacts(asked).filter((fact) => !passage.includes(fact))).toEqual([]),
)

test.each([
  { language: 'us' },
  { language: 'en-GB' },
  { keyId: 'key_2' },
  { metadata: { show: 'One' } },
  { metadata: { one: 'show' } },
  { metadata: { sho: 'w one' } },
  { speaker: 'a' },
])('%j is asked of a passage that does not have it', (asked) =>
  expect(askedFacts(asked).filter((fact) => passage.includes(fact))).toEqual([]),
)

test('the token of a fact is no word, and no syntax', async () => {
  const token = await factToken('language "en" OR *')
  expect(token).toMatch(/^\uE000[0-9a-f]{12}$/)
  expect(tokensOf(token).map(({ text }) => text)).not.toContain(token)
})
