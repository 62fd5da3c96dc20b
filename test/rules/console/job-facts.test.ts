import { expect, test } from 'vitest'
import { speechFacts } from '../../../console/assets/jobs/job-card.js'

const result = { duration: 6, costInDollars: 0, language: 'fr' }

test.each([
  [{}, ['fr']],
  [{ model: 'whisper-base', languageProbability: 0.93 }, ['fr', 'whisper-base']],
  [{ languageProbability: 0.8 }, ['fr']],
  [{ languageProbability: 0.634 }, ['fr, 63 % sure']],
  [{ model: 'whisper-base', translatedTo: 'en' as const }, ['fr', 'translated into English', 'whisper-base']],
])('of a transcript with %o the card says %j', (given, facts) => {
  expect(speechFacts({ ...result, ...given })).toEqual(facts)
})
