import { expect, test } from 'vitest'
import { micros } from '../../../../domain/money/money.ts'
import { dollarsText, downloadPriceText, priceText, speechPriceText } from '../../../../domain/money/price-text.ts'
import { defaultPrices, freePrices } from '../../../../domain/money/prices.ts'

test.each([
  [0, '$0.00'],
  [10_000, '$0.01'],
  [1_000_000, '$1.00'],
  [153_421, '$0.153421'],
  [12_500, '$0.0125'],
  [1, '$0.000001'],
])('%i micro-dollars are written as %s', (amount, text) => expect(dollarsText(micros(amount))).toBe(text))

test('prices are written with their units, and say when something is free', () => {
  expect(downloadPriceText(defaultPrices)).toBe('$0.01 for each MB')
  expect(speechPriceText(defaultPrices, 'builtin')).toBe('$0.02 for each minute, at least $0.03')
  expect(speechPriceText(defaultPrices, 'provider_a')).toBe('$0.01 for each minute, at least $0.03')
  expect(speechPriceText({ ...defaultPrices, speechMinimum: micros(0) }, 'builtin')).toBe('$0.02 for each minute')
  expect(speechPriceText({ ...defaultPrices, builtinPerMinute: micros(0) }, 'builtin')).toBe('$0.03')
  expect([downloadPriceText(freePrices), speechPriceText(freePrices, 'builtin'), priceText(micros(0))]).toEqual([
    'free',
    'free',
    'free',
  ])
})
