import { expect, test } from 'vitest'
import { searchText, termLines } from '../../../../client/cli/commands/account.ts'

const prices = {
  downloadPerMegabyte: 0.01,
  captions: 0.01,
  builtinPerMinute: 0.02,
  providerPerMinute: 0.01,
  speechMinimum: 0.03,
}
const free = {
  ...{ downloadPerMegabyte: 0, captions: 0, builtinPerMinute: 0, providerPerMinute: 0, speechMinimum: 0 },
}

test.each([
  [
    { prices, retentionDays: 7 },
    [
      'Downloads:  $0.01 for each MB',
      'Captions:   $0.01',
      'Builtin:    $0.02 for each minute of speech, at least $0.03',
      'Providers:  $0.01 for each minute of speech, at least $0.03, besides what they bill your key',
      'Files:      kept for 7 days',
    ],
  ],
  [{ prices: free, retentionDays: 1 }, ['Prices:     free', 'Files:      kept for 1 day']],
])('the prices of the account and how long files are kept are said in words (%#)', (terms, lines) => {
  expect(termLines(terms)).toEqual(lines)
})

test('a price that is 0 is free, and the others are as exact as they were set', () => {
  const some = { ...free, downloadPerMegabyte: 0.000125, builtinPerMinute: 1.125, speechMinimum: 0.5 }
  expect(termLines({ prices: some, retentionDays: 2 })).toEqual([
    'Downloads:  $0.000125 for each MB',
    'Captions:   free',
    'Builtin:    $1.125 for each minute of speech, at least $0.50',
    'Providers:  $0.50, besides what they bill your key',
    'Files:      kept for 2 days',
  ])
})

test('models with prices of their own are listed', () => {
  const models = { 'moonshine-base': 0.005, small: 0 }
  expect(termLines({ prices: { ...free, models }, retentionDays: 1 })).toContain(
    'Models:     moonshine-base $0.005 for each minute, small free',
  )
  expect(termLines({ prices: { ...free, models: { small: 0 } }, retentionDays: 1 })).toContain('Prices:     free')
})

const search = { bytes: 12_345_678, passages: 4_321, full: false }

test.each([
  [{ index: true, search }, '4321 passages, 12.3 MB'],
  [{ index: true, search: { ...search, full: true } }, 'full: 4321 passages, 12.3 MB. What is new is not found'],
  [{ index: false, search: { ...search, bytes: 0, passages: 0 } }, 'off'],
])('what can be searched is said in words (%#)', (account, text) => expect(searchText(account)).toBe(text))
