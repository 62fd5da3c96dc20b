import { UsageError } from '../problems.ts'

/** An amount of dollars above zero, such as `1` or `$0.50`. */
export const parseDollars = (text: string): number => {
  const amount = /^\$?(\d+(?:\.\d+)?|\.\d+)$/.exec(text.trim())?.[1]
  if (!amount || Number(amount) === 0) throw new UsageError(`--max-cost ${text}: expected dollars such as 1 or 0.50.`)
  return Number(amount)
}

export const parseLimit = (text: string): number => {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--limit ${text}: expected a whole number above zero.`)
  return Number(text)
}
