import { z } from 'zod'
import { dollarsUpTo } from '../schemas.ts'
import { fromDollars, type Micros, max, micros, toDollars, zero } from './money.ts'

/** In micro-dollars. A job and a batch keep those that they were accepted with. */
export interface Prices {
  /** For 1,000,000 bytes. */
  downloadPerMegabyte: Micros
  captions: Micros
  builtinPerMinute: Micros
  /** The provider bills its own usage to the caller's key. */
  providerPerMinute: Micros
  speechMinimum: Micros
}

/** Those of a deployment whose operator sets none. */
export const defaultPrices: Prices = {
  downloadPerMegabyte: micros(10_000),
  captions: micros(10_000),
  builtinPerMinute: micros(20_000),
  providerPerMinute: micros(10_000),
  speechMinimum: micros(30_000),
}

const names = Object.keys(defaultPrices) as (keyof Prices)[]

const forEach = (priceOf: (name: keyof Prices) => Micros): Prices =>
  Object.fromEntries(names.map((name) => [name, priceOf(name)])) as unknown as Prices

export const freePrices = forEach(() => zero)

export const isFree = (prices: Prices): boolean => names.every((name) => prices[name] === 0)

const Dollars = dollarsUpTo(1_000)

type InDollars = Partial<Record<keyof Prices, number | undefined>>

export const PricesInDollars = z.union([
  z.literal('free'),
  z.strictObject({
    downloadPerMegabyte: Dollars.optional(),
    captions: Dollars.optional(),
    builtinPerMinute: Dollars.optional(),
    providerPerMinute: Dollars.optional(),
    speechMinimum: Dollars.optional(),
  }),
])

export type OwnPrices = Partial<Prices>

export const ownPricesOf = (given: 'free' | InDollars): OwnPrices =>
  given === 'free'
    ? freePrices
    : Object.fromEntries(
        Object.entries(given).flatMap(([name, dollars]) => (dollars == null ? [] : [[name, fromDollars(dollars)]])),
      )

export const pricesInDollars = (prices: Prices): Record<keyof Prices, number> =>
  Object.fromEntries(names.map((name) => [name, toDollars(prices[name])])) as Record<keyof Prices, number>

/** `price` for each `unit`, pro rata, rounded up once. In two parts, so that the products are exact. */
const proRata = (amount: number, price: Micros, unit: number): Micros =>
  micros(Math.floor(amount / unit) * price + Math.ceil(((amount % unit) * price) / unit))

/** The most whole things that cost no more than `amount`. null: they cost nothing. */
const most = (amount: number, price: Micros, unit: number): number | null => {
  if (price === 0) return null
  const count = Math.floor(amount / price) * unit + Math.floor(((amount % price) * unit) / price)
  return Math.min(Math.max(0, count), Number.MAX_SAFE_INTEGER)
}

export const MEGABYTE = 1_000_000
const MINUTE = 60_000

export const downloadCost = ({ downloadPerMegabyte }: Prices, bytes: number): Micros =>
  proRata(bytes, downloadPerMegabyte, MEGABYTE)

/** The most bytes that cost no more than this. null: downloads cost nothing. */
export const bytesFor = ({ downloadPerMegabyte }: Prices, amount: Micros): number | null =>
  most(amount, downloadPerMegabyte, MEGABYTE)

/** Held for a job whose size is unknown: one MB. */
export const UNKNOWN_SIZE_BYTES = MEGABYTE

/** What a minute of speech costs. Every provider but `builtin` is the caller's own. */
export const speechPrice = (prices: Prices, provider: string | null): Micros =>
  provider === 'builtin' ? prices.builtinPerMinute : prices.providerPerMinute

/** Billed to the millisecond. Durations are measured as fractions: whole milliseconds keep 0.1 + 0.2 from costing more. */
export const speechCost = (prices: Prices, provider: string | null, seconds: number): Micros =>
  max(prices.speechMinimum, proRata(Math.round(seconds * 1_000), speechPrice(prices, provider), MINUTE))

/** The most seconds of speech that cost no more than this. null: they cost nothing beyond the minimum. */
export const speechSecondsFor = (prices: Prices, provider: string | null, amount: Micros): number | null => {
  if (amount < prices.speechMinimum) return 0
  const milliseconds = most(amount, speechPrice(prices, provider), MINUTE)
  return milliseconds === null ? null : milliseconds / 1_000
}
