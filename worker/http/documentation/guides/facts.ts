import type { Terms } from '../../../../domain/account/terms.ts'
import { failureAdvice, refusalAdvice } from '../../../../domain/codes/advice.ts'
import { type FailureCode, failures } from '../../../../domain/codes/failures.ts'
import { type RefusalCode, refusals } from '../../../../domain/codes/refusals.ts'
import { MAX_METADATA_CHARACTERS, MAX_METADATA_KEYS } from '../../../../domain/jobs/job-metadata.ts'
import * as fixed from '../../../../domain/limits.ts'
import { sum, toDollars } from '../../../../domain/money/money.ts'
import { daysText, dollarsText, downloadPriceText, speechPriceText } from '../../../../domain/money/price-text.ts'
import { downloadCost, isFree, type Prices, speechCost } from '../../../../domain/money/prices.ts'
import { watchOptions } from '../../../../domain/options/watch-options.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../domain/time.ts'
import { MAX_PENDING_UPLOADS, MAX_UPLOAD_BYTES, READY_UPLOAD_MS } from '../../../../domain/uploads/upload.ts'
import { MIN_EVERY_MINUTES } from '../../../../domain/watches/watch.ts'
import { DELIVERY_LOG_MS, delaysMs, OLD_SECRET_MS } from '../../../../domain/webhooks/retry-schedule.ts'

const MB = 1_000_000
const GB = 1_000 * MB
const MINUTE = 60
const HOUR = 60 * MINUTE

const count = (number: number): string => number.toLocaleString('en')

const durationText = (ms: number): string => {
  if (ms < MINUTE_MS) return `${ms / 1000} s`
  return ms < HOUR_MS ? `${ms / MINUTE_MS} min` : `${ms / HOUR_MS} h`
}

const table = (header: string[], rows: string[][]): string => {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Messages are plain text. */
const escaped = (message: string): string => message.replace(/[<_*`]/g, '\\$&')

const priceTable = (prices: Prices): string =>
  table(
    ['What', 'Price'],
    [
      [
        'Download, also for speech recognition',
        prices.downloadPerMegabyte === 0 ? 'free' : `${downloadPriceText(prices)}, billed by the byte`,
      ],
      ['Transcript from captions', prices.captions === 0 ? 'free' : `${dollarsText(prices.captions)} for each video`],
      ['Built-in speech recognition', speechPriceText(prices, 'builtin')],
      [
        'Speech recognition with your key at a provider',
        isFree(prices)
          ? 'the provider’s own price'
          : `${speechPriceText(prices, 'provider_a')}, and the provider’s own price`,
      ],
      ['Failed and canceled jobs, lookups, batches, uploads, storage', 'free'],
    ],
  )

const priceExamples = (prices: Prices): string => {
  const recognized = (job: string, megabytes: number, seconds: number, provider = 'builtin'): string[] => {
    const [download, speech] = [downloadCost(prices, megabytes * MB), speechCost(prices, provider, seconds)]
    return [job, dollarsText(download), dollarsText(speech), dollarsText(sum(download, speech))]
  }
  const imported = (job: string, megabytes: number): string[] => {
    const price = dollarsText(downloadCost(prices, megabytes * MB))
    return [job, price, '', price]
  }
  return table(
    ['Job', 'Download', 'Speech', 'Total'],
    [
      imported('Import a video of 48 MB', 48),
      imported('Import its audio track of 3.2 MB', 3.2),
      ['Transcribe a lecture that has captions', '', '', dollarsText(prices.captions)],
      recognized('Recognize an episode of 30 minutes, 14.4 MB', 14.4, 30 * MINUTE),
      recognized('Recognize an import of 30 minutes', 0, 30 * MINUTE),
      recognized('Recognize a voice message of 20 seconds, 0.3 MB', 0.3, 20),
      recognized('Recognize an hour with your own key, 28.8 MB', 28.8, HOUR, 'provider_a'),
    ],
  )
}

/** What `{{name}}` in a guide stands for: the numbers and tables that the code itself uses, as Markdown. */
export const factsOf = ({ prices, limits, retentionDays, maxMediaSeconds }: Terms) => ({
  'batch-items': count(fixed.MAX_BATCH_ITEMS),
  'delivery-attempts': `${delaysMs.length}`,
  'delivery-log-days': `${DELIVERY_LOG_MS / DAY_MS}`,
  'free-work': `${count(limits.freeWork.engineSecondsPerHour)} seconds and ${limits.freeWork.bytesPerHour / GB} GB`,
  'idempotency-hours': `${fixed.IDEMPOTENCY_MS / HOUR_MS}`,
  'old-secret-hours': `${OLD_SECRET_MS / HOUR_MS}`,
  'ready-upload-hours': `${READY_UPLOAD_MS / HOUR_MS}`,
  'captions-in-dollars': `${toDollars(prices.captions)}`,
  'price-of-captions': prices.captions === 0 ? 'nothing' : dollarsText(prices.captions),
  'retention-days': daysText(retentionDays),
  'upload-gigabytes': `${MAX_UPLOAD_BYTES / GB}`,
  'metadata-keys': `${MAX_METADATA_KEYS}`,
  'metadata-characters': `${MAX_METADATA_CHARACTERS}`,
  'watch-minutes': `${watchOptions.everyMinutes.default}`,
  'watch-min-minutes': `${MIN_EVERY_MINUTES}`,
  'watch-max-new': `${watchOptions.maxNew.default}`,
  'wait-seconds': `${fixed.MAX_WAIT_SECONDS}`,
  'delivery-delays': delaysMs.slice(1).map(durationText).join(', '),
  'rate-limits': table(
    ['Requests', 'Each hour', 'Jobs at the same time'],
    [
      ['`POST /import`', count(limits.requestsPerHour.import), `${limits.concurrentJobs.import}`],
      ['`POST /transcribe`', count(limits.requestsPerHour.transcribe), `${limits.concurrentJobs.transcription}`],
      ['Status of jobs and batches, transcripts, events', count(limits.requestsPerHour.status), ''],
      ['All other requests', count(limits.requestsPerHour.general), ''],
    ],
  ),
  sizes: table(
    ['What', 'Limit'],
    [
      ['Length of the media', `${maxMediaSeconds / HOUR} hours`],
      ['Upload', `${MAX_UPLOAD_BYTES / GB} GB, ${MAX_PENDING_UPLOADS} pending at the same time`],
      ['Uploads of an account, pending and ready', `${limits.uploadBytes / GB} GB`],
      ['Watches of an account', count(limits.watches)],
      ['Items of a batch', count(fixed.MAX_BATCH_ITEMS)],
      ['Body of a request', `${fixed.MAX_JSON_BYTES / 1024} KiB`],
      ['Files are stored', daysText(retentionDays)],
      ['Jobs can be read', `${fixed.JOB_HISTORY_DAYS} days`],
    ],
  ),
  prices: priceTable(prices),
  'price-examples': isFree(prices) ? '' : priceExamples(prices),
  refusals: table(
    ['Status', 'Code', 'Meaning', 'What to do'],
    Object.entries(refusals).map(([code, { status, message }]) => [
      `${status}`,
      `\`${code}\``,
      escaped(message),
      refusalAdvice[code as RefusalCode],
    ]),
  ),
  failures: table(
    ['Code', 'Meaning', 'Retryable', 'What to do'],
    Object.entries(failures).map(([code, { message, retryable }]) => [
      `\`${code}\``,
      escaped(message),
      retryable ? 'yes' : 'no',
      failureAdvice[code as FailureCode],
    ]),
  ),
})

export interface Site {
  baseUrl: string
  terms: Terms
}

export const withFacts = (guide: string, { baseUrl, terms }: Site): string => {
  const facts: Record<string, string> = { ...factsOf(terms), 'base-url': baseUrl }
  return guide.replace(/\{\{([a-z-]+)\}\}/g, (placeholder, name: string) => {
    const fact = facts[name]
    if (fact === undefined) throw new Error(`Nothing is known as ${placeholder}`)
    return fact
  })
}
