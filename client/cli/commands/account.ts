import type { Command } from 'commander'
import type { Account } from '../../src/index.ts'
import { type OutputOptions, openSession } from '../session.ts'
import { factLine, printable, printLine } from '../terminal/output.ts'
import { bytesText, dollarsText, priceText } from '../terminal/quantities.ts'

export const addAccount = (program: Command): Command =>
  program
    .command('account')
    .summary('show the balance, the prices and the limits')
    .description('Shows the balance, the prices and the limits of the account, and the address of Haul.')
    .addHelpText('after', '\nExample:\n  haul account --json')
    .action(showAccount)

const showAccount = async (options: OutputOptions): Promise<void> => {
  const { haul, baseUrl, signal, print, paint } = await openSession(options)
  const account = await haul.account({ signal })
  const { requestsPerHour, concurrentJobs } = account.limits
  const facts = [
    factLine('Available', dollarsText(account.availableDollars)),
    factLine('Held', `${dollarsText(account.heldDollars)} for jobs that run`),
    ...termLines(account),
    factLine('At once', `${concurrentJobs.import} imports, ${concurrentJobs.transcription} transcriptions`),
    factLine('Per hour', `${requestsPerHour.import} imports, ${requestsPerHour.transcribe} transcriptions`),
    factLine('Search', searchText(account)),
    factLine('Address', baseUrl),
  ]
  await print(account, async () => {
    await printLine(`${paint('bold', printable(account.name))} (${printable(account.accountId)})`)
    await printLine(facts.join('\n'))
  })
}

export const searchText = ({ index, search }: Pick<Account, 'index' | 'search'>): string => {
  if (!index) return 'off'
  const size = `${search.passages} passages, ${bytesText(search.bytes)}`
  return search.full ? `full: ${size}. What is new is not found` : size
}

/** The terms of new jobs. */
export const termLines = ({ prices, retentionDays }: Pick<Account, 'prices' | 'retentionDays'>): string[] => [
  ...priceLines(prices),
  factLine('Files', `kept for ${retentionDays === 1 ? '1 day' : `${retentionDays} days`}`),
]

type Prices = Account['prices']

const priceLines = (prices: Prices): string[] => {
  const { models = {}, ...others } = prices
  if (Object.values({ ...others, ...models }).every((price) => price === 0)) return [factLine('Prices', 'free')]
  const { downloadPerMegabyte, captions, builtinPerMinute, providerPerMinute } = prices
  return [
    factLine('Downloads', downloadPerMegabyte === 0 ? 'free' : `${priceText(downloadPerMegabyte)} for each MB`),
    factLine('Captions', priceText(captions)),
    factLine('Builtin', speechText(builtinPerMinute, prices)),
    ...(Object.keys(models).length > 0 ? [factLine('Models', modelPrices(models))] : []),
    factLine('Providers', `${speechText(providerPerMinute, prices)}, besides what they bill your key`),
  ]
}

/** Those with a price of their own. `haul models` lists all. */
const modelPrices = (models: NonNullable<Prices['models']>): string =>
  Object.entries(models)
    .map(([name, perMinute]) => `${name} ${perMinute === 0 ? 'free' : `${priceText(perMinute)} for each minute`}`)
    .join(', ')

/** `$0.02 for each minute of speech, at least $0.03` */
const speechText = (perMinute: number, { speechMinimum }: Prices): string => {
  if (perMinute === 0) return priceText(speechMinimum)
  const least = speechMinimum === 0 ? '' : `, at least ${priceText(speechMinimum)}`
  return `${priceText(perMinute)} for each minute of speech${least}`
}
