import { type Micros, micros, toDollars } from './money.ts'
import { downloadCost, MEGABYTE, type Prices, speechPrice } from './prices.ts'

/** `$0.02`, with more than two decimals only if the amount needs them. */
export const dollars = (amount: number): string => `$${amount.toFixed(6).replace(/0{1,4}$/, '')}`

export const dollarsText = (amount: Micros): string => dollars(toDollars(amount))

export const priceText = (amount: Micros): string => (amount === 0 ? 'free' : dollarsText(amount))

export const daysText = (days: number): string => (days === 1 ? '1 day' : `${days} days`)

/** `$0.01 for each MB`. */
export const downloadPriceText = (prices: Prices): string => {
  const price = downloadCost(prices, MEGABYTE)
  return price === 0 ? 'free' : `${dollarsText(price)} for each MB`
}

/** `$0.02 for each minute, at least $0.03`. */
export const speechPriceText = (prices: Prices, provider: string): string => {
  const { speechMinimum } = prices
  const perMinute = speechPrice(prices, provider)
  if (perMinute === 0) return priceText(speechMinimum)
  const least = speechMinimum === 0 ? '' : `, at least ${dollarsText(speechMinimum)}`
  return `${dollarsText(micros(perMinute))} for each minute${least}`
}
