import type { HaulJobError, Quote } from '../src/index.ts'
import { exitCodeOf, Reported } from './exit-codes.ts'
import { shellWord } from './options.ts'
import type { Session } from './session.ts'
import { dollarsText } from './terminal/quantities.ts'

/** The ceiling of a transcription for which the user has not set one. */
export const DEFAULT_MAX_DOLLARS = 1

interface Ceiling {
  maxCostDollars: number | undefined
  /** Why the job needs a higher one. */
  sentence: string
  uploaded?: Uploaded | undefined
}

interface Uploaded {
  file: string
  uploadId: string
}

/** Ends the command with the price, and the command that accepts it, if a higher ceiling is all that is missing. */
export const nameCeiling = (
  { progress }: Session,
  error: HaulJobError,
  { maxCostDollars, sentence, uploaded }: Ceiling,
): void => {
  const ceiling = ceilingAfter(error, maxCostDollars)
  if (ceiling === null) return
  progress.note(`haul: ${sentence} (${error.code}, ${error.jobId})`)
  progress.note(`Run: ${commandWithCeiling(process.argv.slice(2), ceiling, uploaded)}`)
  throw new Reported(exitCodeOf(error))
}

const STEP_DOLLARS = 0.05
/** Leaves room in the ceiling if the price follows from an estimated length. */
const ESTIMATE_MARGIN = 1.2

/** The --max-cost with which the job can succeed. null: a higher one would not help. */
export const ceilingAfter = ({ code, quote }: HaulJobError, maxCostDollars: number | undefined): number | null => {
  if (code !== 'MAX_COST_REQUIRED' && code !== 'MAX_COST_EXCEEDED') return null
  if (!quote) return maxCostDollars === undefined ? DEFAULT_MAX_DOLLARS : maxCostDollars * 2
  return ceilingFor(quote)
}

/** The next five cents above the quote. */
export const ceilingFor = ({ estimatedCostDollars, estimated }: Quote): number => {
  const dollars = estimatedCostDollars * (estimated ? ESTIMATE_MARGIN : 1)
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

export const priceOf = ({ estimatedMinutes, estimatedCostDollars, estimated }: Quote): string => {
  const minutes = Math.max(1, Math.round(estimatedMinutes))
  const length = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
  return `${estimated ? 'about ' : ''}${dollarsText(estimatedCostDollars)} (${length})`
}

/** The command that was given, with another ceiling. An uploaded file is named by its upload, so that it is not sent again. */
export const commandWithCeiling = (words: readonly string[], maxCostDollars: number, uploaded?: Uploaded): string => {
  const kept = withoutCeiling(words)
  const sources = uploaded ? kept.map((word) => (word === uploaded.file ? uploaded.uploadId : word)) : kept
  return ['haul', ...sources, '--max-cost', String(maxCostDollars)].map(shellWord).join(' ')
}

const withoutCeiling = (words: readonly string[]): string[] =>
  words.filter(
    (word, index) => word !== '--max-cost' && words[index - 1] !== '--max-cost' && !/^--max-cost=/.test(word),
  )
