import type { HaulJobError, Quote } from '../../src/index.ts'
import { shellWord } from '../option-values.ts'
import { dollarsText } from '../terminal/quantities.ts'

/** A transcription that can succeed if the user agrees to a price. */
export interface NextAttempt {
  /** What is wrong. */
  reason: string
  /** undefined: the length of the media is unknown. */
  quote: Quote | undefined
  provider: string
  maxCostDollars: number
}

const reasons: Readonly<Record<string, string>> = {
  TRANSCRIPTION_PROVIDER_REQUIRED: 'The media has no captions.',
  MAX_COST_REQUIRED: 'The length of the media is unknown, so a highest price is needed.',
  MAX_COST_EXCEEDED: 'The transcription would cost more than --max-cost.',
}

const STEP_DOLLARS = 0.05
/** The ceiling is higher where the price follows from an estimated length. */
const ESTIMATE_MARGIN = 1.2
const UNKNOWN_LENGTH_DOLLARS = 1

/** null: paying would not help. */
export const nextAttemptAfter = ({ code, quote }: HaulJobError, provider = 'builtin'): NextAttempt | null => {
  const reason = reasons[code]
  return reason ? { reason, quote, provider, maxCostDollars: ceilingFor(quote) } : null
}

/** The next five cents above the quote. */
const ceilingFor = (quote: Quote | undefined): number => {
  if (!quote) return UNKNOWN_LENGTH_DOLLARS
  const dollars = quote.estimatedCostDollars * (quote.estimated ? ESTIMATE_MARGIN : 1)
  return Number((Math.ceil(dollars / STEP_DOLLARS - 1e-9) * STEP_DOLLARS).toFixed(2))
}

/** `It costs about $0.24 with builtin (12 minutes).` */
export const priceSentence = ({ quote, provider }: NextAttempt): string => {
  if (!quote) return `What it costs with ${provider} is known only after the download.`
  const minutes = Math.max(1, Math.round(quote.estimatedMinutes))
  const price = dollarsText(quote.estimatedCostDollars)
  return `With ${provider} it costs ${quote.estimated ? 'about ' : ''}${price} (${minutes} ${minutes === 1 ? 'minute' : 'minutes'}).`
}

/** The command that was given, with the provider and the ceiling. An upload is not sent a second time. */
export const nextCommand = (
  words: readonly string[],
  { provider, maxCostDollars }: NextAttempt,
  uploaded?: { file: string; uploadId: string },
): string => {
  const kept = withoutOptions(words, ['--provider', '--max-cost'])
  const sources = uploaded ? kept.map((word) => (word === uploaded.file ? uploaded.uploadId : word)) : kept
  return ['haul', ...sources, '--provider', provider, '--max-cost', String(maxCostDollars)].map(shellWord).join(' ')
}

const withoutOptions = (words: readonly string[], names: readonly string[]): string[] => {
  const kept: string[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    if (names.includes(word)) index++
    else if (!names.some((name) => word.startsWith(`${name}=`))) kept.push(word)
  }
  return kept
}
