import { z } from 'zod'
import { MAX_MODEL_CHARACTERS } from '../limits.ts'
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
  /** For a minute of speech, by the name of the built-in model. Those without a price cost `builtinPerMinute`. */
  models?: Readonly<Record<string, Micros>>
}

type PriceName = Exclude<keyof Prices, 'models'>

/** Those of a deployment whose operator sets none. */
export const defaultPrices: Record<PriceName, Micros> = {
  downloadPerMegabyte: micros(10_000),
  captions: micros(10_000),
  builtinPerMinute: micros(20_000),
  providerPerMinute: micros(10_000),
  speechMinimum: micros(30_000),
}

const names = Object.keys(defaultPrices) as PriceName[]

const forEach = <Price>(priceOf: (name: PriceName) => Price): Record<PriceName, Price> =>
  Object.fromEntries(names.map((name) => [name, priceOf(name)])) as Record<PriceName, Price>

export const freePrices = forEach(() => zero)

export const isFree = (prices: Prices): boolean =>
  names.every((name) => prices[name] === 0) && Object.values(prices.models ?? {}).every((price) => price === 0)

const Dollars = dollarsUpTo(1_000)

const MAX_PRICED_MODELS = 100

const ModelPrices = z
  .record(z.string().min(1).max(MAX_MODEL_CHARACTERS), Dollars)
  .refine((models) => Object.keys(models).length <= MAX_PRICED_MODELS, `must have at most ${MAX_PRICED_MODELS} models`)

export const PricesInDollars = z.union([
  z.literal('free'),
  z.strictObject({
    downloadPerMegabyte: Dollars.optional(),
    captions: Dollars.optional(),
    builtinPerMinute: Dollars.optional(),
    providerPerMinute: Dollars.optional(),
    speechMinimum: Dollars.optional(),
    models: ModelPrices.optional(),
  }),
])

type InDollars = Exclude<z.infer<typeof PricesInDollars>, 'free'>

export type OwnPrices = Partial<Prices>

export const ownPricesOf = (given: 'free' | InDollars): OwnPrices => {
  if (given === 'free') return freePrices
  const { models, ...others } = given
  const own = Object.entries(others).flatMap(([name, dollars]) =>
    dollars == null ? [] : [[name, fromDollars(dollars)]],
  )
  return { ...Object.fromEntries(own), ...(models && { models: eachModel(models, fromDollars) }) }
}

/** A price of its own for the built-in engine holds for every model, unless the account has one for the model too. */
export const withOwnPrices = (deployment: Prices, own: OwnPrices | null): Prices => {
  if (!own) return deployment
  const { models: usual, ...others } = deployment
  const models = { ...(own.builtinPerMinute === undefined && usual), ...own.models }
  return { ...others, ...own, ...(Object.keys(models).length > 0 && { models }) }
}

export const hasModelPrices = ({ models = {} }: Prices): boolean => Object.keys(models).length > 0

/** Of a job that is heard with this model. null: nobody knows which one it will be. */
export const withPriceOf = ({ models = {}, ...prices }: Prices, model: string | null): Prices => ({
  ...prices,
  builtinPerMinute: (model !== null && Object.hasOwn(models, model) ? models[model] : null) ?? prices.builtinPerMinute,
})

export const pricesInDollars = ({ models, ...prices }: Prices) => ({
  ...forEach((name) => toDollars(prices[name])),
  ...(models && { models: eachModel(models, toDollars) }),
})

const eachModel = <Given, Made>(models: Readonly<Record<string, Given>>, change: (price: Given) => Made) =>
  Object.fromEntries(Object.entries(models).map(([name, price]) => [name, change(price)]))

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
