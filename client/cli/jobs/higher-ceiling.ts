import type { HaulJobError, Quote } from '../../src/index.ts'
import { shellWord } from '../option-values.ts'
import { dollarsText } from '../terminal/quantities.ts'

/** What a transcription may cost that nobody has named a price for. */
export const DEFAULT_MAX_DOLLARS = 1

const STEP_DOLLARS = 0.05
/** The ceiling is higher where the price follows from an estimated length. */
const ESTIMATE_MARGIN = 1.2

/** The --max-cost with which the transcription can succeed. null: a higher one would not help. */
export const ceilingAfter = ({ code, quote }: HaulJobError, maxCostDollars: number | undefined): number | null => {
  if (code !== 'MAX_COST_REQUIRED' && code !== 'MAX_COST_EXCEEDED') return null
  if (!quote) return maxCostDollars === undefined ? DEFAULT_MAX_DOLLARS : maxCostDollars * 2
  const dollars = quote.estimatedCostDollars * (quote.estimated ? ESTIMATE_MARGIN : 1)
  // The next five cents above the quote.
  return Number((Math.ceil(dollars / STEP_DOLLARS - 1e-9) * STEP_DOLLARS).toFixed(2))
}

/** `The transcription costs $1.24 (62 minutes), and --max-cost is $1.00.` */
export const priceSentence = (quote: Quote | undefined, maxCostDollars: number | undefined): string => {
  const price = quote
    ? `The transcription costs ${priceOf(quote)}`
    : 'What the transcription costs is known only after the download'
  const ceiling =
    maxCostDollars === undefined ? 'it needs a --max-cost' : `--max-cost is ${dollarsText(maxCostDollars)}`
  return `${price}, and ${ceiling}.`
}

const priceOf = ({ estimatedMinutes, estimatedCostDollars, estimated }: Quote): string => {
  const minutes = Math.max(1, Math.round(estimatedMinutes))
  const length = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
  return `${estimated ? 'about ' : ''}${dollarsText(estimatedCostDollars)} (${length})`
}

/** The command that was given, with another ceiling. An upload is not sent a second time. */
export const commandWithCeiling = (
  words: readonly string[],
  maxCostDollars: number,
  uploaded?: { file: string; uploadId: string },
): string => {
  const kept = withoutCeiling(words)
  const sources = uploaded ? kept.map((word) => (word === uploaded.file ? uploaded.uploadId : word)) : kept
  return ['haul', ...sources, '--max-cost', String(maxCostDollars)].map(shellWord).join(' ')
}

const withoutCeiling = (words: readonly string[]): string[] =>
  words.filter(
    (word, index) => word !== '--max-cost' && words[index - 1] !== '--max-cost' && !/^--max-cost=/.test(word),
  )
