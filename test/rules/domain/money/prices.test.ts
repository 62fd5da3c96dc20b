import fc from 'fast-check'
import { expect, test } from 'vitest'
import { micros, toDollars } from '../../../../domain/money/money.ts'
import {
  bytesFor,
  defaultPrices,
  downloadCost,
  freePrices,
  hasModelPrices,
  isFree,
  ownPricesOf,
  PricesInDollars,
  pricesInDollars,
  speechCost,
  speechSecondsFor,
  UNKNOWN_SIZE_BYTES,
  withOwnPrices,
  withPriceOf,
} from '../../../../domain/money/prices.ts'

test.each([
  [0, 0],
  [1, 1],
  [100, 1],
  [101, 2],
  [999_999, 10_000],
  [1_000_000, 10_000],
  [1_000_001, 10_001],
  [15_342_100, 153_421],
  [10_000_000_000, 100_000_000],
])('%i bytes cost %i micro-dollars', (bytes, cost) => expect(downloadCost(defaultPrices, bytes)).toBe(cost))

test.each([
  [0, 30_000],
  [1, 30_000],
  [90, 30_000],
  [90.001, 30_001],
  [91, 30_334],
  [120, 40_000],
  [3_600, 1_200_000],
  [3_600.1 + 0.2, 1_200_100],
])('%d seconds by the built-in provider cost %i micro-dollars', (seconds, cost) =>
  expect(speechCost(defaultPrices, 'builtin', seconds)).toBe(cost),
)

test.each([
  [0, 30_000],
  [180, 30_000],
  [180.001, 30_001],
  [240, 40_000],
  [3_600, 600_000],
])('%d seconds by a third-party provider cost %i micro-dollars', (seconds, cost) =>
  expect(speechCost(defaultPrices, 'provider_a', seconds)).toBe(cost),
)

test('existing captions cost a cent, and so does a download of unknown size', () => {
  expect(defaultPrices.captions).toBe(10_000)
  expect(downloadCost(defaultPrices, UNKNOWN_SIZE_BYTES)).toBe(10_000)
})

/** From what nobody would set to what is refused. */
const price = fc.nat({ max: 1_000_000_000 }).map(micros)
const anyPrices = fc.record({
  downloadPerMegabyte: price,
  captions: price,
  builtinPerMinute: price,
  providerPerMinute: price,
  speechMinimum: price,
})

test('whatever the price, more bytes never cost less, and the cost is exact and rounded up once', () => {
  fc.assert(
    fc.property(anyPrices, fc.nat({ max: 15_000_000_000 }), fc.nat({ max: 1_000 }), (prices, bytes, more) => {
      const exact = (BigInt(bytes) * BigInt(prices.downloadPerMegabyte) + 999_999n) / 1_000_000n
      expect(downloadCost(prices, bytes)).toBe(Number(exact))
      expect(downloadCost(prices, bytes + more)).toBeGreaterThanOrEqual(downloadCost(prices, bytes))
    }),
  )
})

test('whatever the price, an amount covers the bytes and seconds that it is said to cover, and not one more', () => {
  fc.assert(
    fc.property(anyPrices, fc.nat({ max: 1_000_000_000 }).map(micros), (prices, amount) => {
      const bytes = bytesFor(prices, amount)
      if (bytes === null) expect(downloadCost(prices, 1e12)).toBe(0)
      else {
        expect(downloadCost(prices, bytes)).toBeLessThanOrEqual(amount)
        expect(downloadCost(prices, bytes + 1)).toBeGreaterThan(amount)
      }
      const seconds = speechSecondsFor(prices, 'builtin', amount)
      if (seconds === null) expect(speechCost(prices, 'builtin', 1e6)).toBeLessThanOrEqual(amount)
      else if (amount >= prices.speechMinimum) {
        expect(speechCost(prices, 'builtin', seconds)).toBeLessThanOrEqual(amount)
        expect(speechCost(prices, 'builtin', seconds + 0.001)).toBeGreaterThan(amount)
      } else expect(seconds).toBe(0)
    }),
  )
})

test('where everything is free, nothing costs anything, and no amount is a limit', () => {
  expect(isFree(freePrices)).toBe(true)
  expect(isFree({ ...freePrices, captions: micros(1) })).toBe(false)
  expect(downloadCost(freePrices, 1e12)).toBe(0)
  expect(speechCost(freePrices, 'builtin', 86_400)).toBe(0)
  expect(bytesFor(freePrices, micros(0))).toBeNull()
  expect(speechSecondsFor(freePrices, 'builtin', micros(0))).toBeNull()
})

test('an operator names some prices in dollars, or says that everything is free', () => {
  const own = (given: unknown) => ownPricesOf(PricesInDollars.parse(given))
  expect({ ...defaultPrices, ...own({ captions: 0.000_001, speechMinimum: 0 }) }).toEqual({
    ...defaultPrices,
    captions: 1,
    speechMinimum: 0,
  })
  expect(own('free')).toEqual(freePrices)
  expect(own({})).toEqual({})
  expect(pricesInDollars(defaultPrices)).toEqual({
    downloadPerMegabyte: 0.01,
    captions: 0.01,
    builtinPerMinute: 0.02,
    providerPerMinute: 0.01,
    speechMinimum: 0.03,
  })
})

test.each([
  ['its own for the model', { builtinPerMinute: 0.5, models: { small: 0.4 } }, 0.4],
  ['its own for the built-in engine', { builtinPerMinute: 0.5, models: { other: 0.4 } }, 0.5],
  ['that of the deployment for the model', { models: { other: 0.4 } }, 0.06],
  ['that of the deployment for the model, without any of its own', null, 0.06],
  ['nothing, if everything is free for it', 'free', 0],
] as const)('an account pays %s', (_, given, dollars) => {
  const own = given === null ? null : ownPricesOf(given)
  const deployment = { ...defaultPrices, ...ownPricesOf({ builtinPerMinute: 0.03, models: { small: 0.06 } }) }
  expect(toDollars(withPriceOf(withOwnPrices(deployment, own), 'small').builtinPerMinute)).toBe(dollars)
})

test('a model without a price costs what the built-in engine does, and a job keeps the price of its own model alone', () => {
  const prices = { ...defaultPrices, ...ownPricesOf({ models: { small: 0.06 } }) }
  for (const name of ['other', 'constructor', null]) expect(withPriceOf(prices, name)).toEqual(defaultPrices)
  expect(withPriceOf(prices, 'small')).toEqual({ ...defaultPrices, builtinPerMinute: 60_000 })
  expect(withPriceOf({ ...prices, models: { small: micros(0) } }, 'small').builtinPerMinute).toBe(0)
  expect(withPriceOf(defaultPrices, 'small')).toEqual(defaultPrices)
})

test('prices of models are shown, and a deployment is free only if none of its models costs anything', () => {
  const models = { small: 0.06, large: 0 }
  expect(pricesInDollars({ ...freePrices, ...ownPricesOf({ models }) })).toEqual({
    ...pricesInDollars(freePrices),
    models,
  })
  expect(isFree({ ...freePrices, ...ownPricesOf({ models }) })).toBe(false)
  expect(isFree({ ...freePrices, ...ownPricesOf({ models: { large: 0 } }) })).toBe(true)
  expect([hasModelPrices({ ...freePrices, models: {} }), hasModelPrices(freePrices)]).toEqual([false, false])
})

test.each([
  ['a negative price of a model', { models: { small: -0.01 } }],
  ['a model without a name', { models: { '': 0.01 } }],
  ['a negative price', { captions: -0.01 }],
  ['less than a micro-dollar', { captions: 0.000_000_1 }],
  ['more than a thousand dollars', { captions: 1_000.01 }],
  ['a text', { captions: '0.01' }],
  ['null', { captions: null }],
  ['an unknown name', { perMegabyte: 0.01 }],
  ['another word', 'cheap'],
])('%s is no price', (_, given) => expect(PricesInDollars.safeParse(given).success).toBe(false))
