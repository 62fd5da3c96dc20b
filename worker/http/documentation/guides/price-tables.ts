import { type Micros, sum, toDollars } from '../../../../domain/money/money.ts'
import { builtinCost, CAPTIONS_COST, downloadCost, providerCost } from '../../../../domain/money/prices.ts'
import { table } from './table.ts'

const MB = 1_000_000
const MINUTE = 60
const HOUR = 60 * MINUTE

const dollars = (amount: Micros): string => `$${toDollars(amount).toFixed(2)}`
/** Without the minimum, which a long recording exceeds. */
const perMinute = (cost: (seconds: number) => Micros): string => dollars((cost(100 * HOUR) / (100 * 60)) as Micros)

const speech = (cost: (seconds: number) => Micros): string =>
  `${perMinute(cost)} for each minute, at least ${dollars(cost(0))}`

/** Prices and examples, computed by the functions that charge. */
export const priceTables = {
  prices: table(
    ['What', 'Price'],
    [
      ['Download, also for speech recognition', `${dollars(downloadCost(MB))} for each MB, billed by the byte`],
      ['Transcript from captions', `${dollars(CAPTIONS_COST)} for each video`],
      ['Built-in speech recognition', speech(builtinCost)],
      ['Speech recognition with your key at a provider', `${speech(providerCost)}, and the provider’s own price`],
      ['Failed and canceled jobs, lookups, batches, uploads, storage', 'free'],
    ],
  ),
  'price-examples': table(
    ['Job', 'Download', 'Speech', 'Total'],
    [
      example('Import a video of 48 MB', { megabytes: 48 }),
      example('Import its audio track of 3.2 MB', { megabytes: 3.2 }),
      ['Transcribe a lecture that has captions', '', '', dollars(CAPTIONS_COST)],
      example('Recognize an episode of 30 minutes, 14.4 MB', { megabytes: 14.4, speech: builtinCost(30 * MINUTE) }),
      example('Recognize an import of 30 minutes', { megabytes: 0, speech: builtinCost(30 * MINUTE) }),
      example('Recognize a voice message of 20 seconds, 0.3 MB', { megabytes: 0.3, speech: builtinCost(20) }),
      example('Recognize an hour with your own key, 28.8 MB', { megabytes: 28.8, speech: providerCost(HOUR) }),
    ],
  ),
}

function example(job: string, { megabytes, speech }: { megabytes: number; speech?: Micros }): string[] {
  const download = downloadCost(megabytes * MB)
  const total = speech === undefined ? download : sum(download, speech)
  return [job, exact(download), speech === undefined ? '' : exact(speech), exact(total)]
}

/** With more than two decimals only where there are any. */
function exact(amount: Micros): string {
  const cents = dollars(amount)
  return `$${toDollars(amount)}`.length > cents.length ? `$${toDollars(amount)}` : cents
}
