/** Money is whole micro-dollars. A JSON number of dollars exists only at the edge. */
export type Micros = number & { readonly unit: 'micro-dollars' }

const PER_DOLLAR = 1_000_000

export const micros = (amount: number): Micros => {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`${amount} is not a whole number of micro-dollars`)
  return amount as Micros
}

export const zero = micros(0)
export const sum = (...amounts: Micros[]): Micros => micros(amounts.reduce((total, amount) => total + amount, 0))
export const min = (a: Micros, b: Micros): Micros => (a < b ? a : b)
export const max = (a: Micros, b: Micros): Micros => (a > b ? a : b)
export const minus = (a: Micros, b: Micros): Micros => micros(a - b)
export const negative = (amount: Micros): Micros => micros(amount === 0 ? 0 : -amount)

/** The nearest double to a decimal of at most six places, so that 153421 prints as 0.153421. */
export const toDollars = (amount: Micros): number => amount / PER_DOLLAR

/** Callers write dollars as decimals; more than six places would be a fraction of a micro-dollar. */
export const fromDollars = (dollars: number): Micros => micros(Math.round(dollars * PER_DOLLAR))
