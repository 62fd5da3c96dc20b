/** All money is in whole micro-dollars. Dollars exist only in requests and responses. */
export type Micros = number & { readonly unit: 'micro-dollars' }

const PER_DOLLAR = 1_000_000

export const micros = (amount: number): Micros => {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`${amount} is not a whole number of micro-dollars`)
  return amount as Micros
}

export const zero = micros(0)
export const sum = (...amounts: Micros[]): Micros => micros(amounts.reduce((total, amount) => total + amount, 0))
export const max = (a: Micros, b: Micros): Micros => (a > b ? a : b)
export const min = (a: Micros, b: Micros): Micros => (a < b ? a : b)
export const minus = (a: Micros, b: Micros): Micros => micros(a - b)
export const negative = (amount: Micros): Micros => micros(amount === 0 ? 0 : -amount)

/** The double nearest to a decimal with at most six places, so 153421 prints as 0.153421. */
export const toDollars = (amount: Micros): number => amount / PER_DOLLAR

/** Rounds, because more than six decimal places would be a fraction of a micro-dollar. */
export const fromDollars = (dollars: number): Micros => micros(Math.round(dollars * PER_DOLLAR))

/** Whether dollars have at most six decimals, apart from the rounding error of a computation such as 0.1 + 0.2. */
export const isWholeMicros = (dollars: number): boolean =>
  Math.abs(Math.round(dollars * PER_DOLLAR) / PER_DOLLAR - dollars) <= 4 * Number.EPSILON * Math.abs(dollars)
