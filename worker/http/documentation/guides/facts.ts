import { defaultLimits } from '../../../../domain/account-limits.ts'
import { failureAdvice, refusalAdvice } from '../../../../domain/codes/advice.ts'
import { type FailureCode, failures } from '../../../../domain/codes/failures.ts'
import { type RefusalCode, refusals } from '../../../../domain/codes/refusals.ts'
import {
  IDEMPOTENCY_MS,
  JOB_HISTORY_DAYS,
  MAX_BATCH_ITEMS,
  MAX_BODY_BYTES,
  MAX_MEDIA_SECONDS,
  MAX_WAIT_SECONDS,
  RETENTION_MS,
} from '../../../../domain/limits.ts'
import { type Micros, sum, toDollars } from '../../../../domain/money/money.ts'
import { builtinCost, CAPTIONS_COST, downloadCost, providerCost } from '../../../../domain/money/prices.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../domain/time.ts'
import { MAX_PENDING_UPLOADS, MAX_UPLOAD_BYTES, READY_UPLOAD_MS } from '../../../../domain/uploads/upload.ts'
import { DELIVERY_LOG_MS, delaysMs, OLD_SECRET_MS } from '../../../../domain/webhooks/retry-schedule.ts'

const MB = 1_000_000
const GB = 1_000 * MB
const MINUTE = 60
const HOUR = 60 * MINUTE

const { requestsPerHour, concurrentJobs, freeWork, uploadBytes } = defaultLimits

const count = (number: number): string => number.toLocaleString('en')

const durationText = (ms: number): string => {
  if (ms < MINUTE_MS) return `${ms / 1000} s`
  return ms < HOUR_MS ? `${ms / MINUTE_MS} min` : `${ms / HOUR_MS} h`
}

/** A table in Markdown. */
const table = (header: string[], rows: string[][]): string => {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Messages are plain text. */
const escaped = (message: string): string => message.replace(/[<_*`]/g, '\\$&')

const dollars = (amount: Micros): string => `$${toDollars(amount).toFixed(2)}`

/** The amount has more than two decimals only if it needs them. */
const exact = (amount: Micros): string => {
  const cents = dollars(amount)
  return `$${toDollars(amount)}`.length > cents.length ? `$${toDollars(amount)}` : cents
}

/** The price of a minute, without the minimum, which a long recording exceeds. */
const perMinute = (cost: (seconds: number) => Micros): string => dollars((cost(100 * HOUR) / (100 * 60)) as Micros)

const speech = (cost: (seconds: number) => Micros): string =>
  `${perMinute(cost)} for each minute, at least ${dollars(cost(0))}`

const example = (job: string, { megabytes, speech }: { megabytes: number; speech?: Micros }): string[] => {
  const download = downloadCost(megabytes * MB)
  const total = speech === undefined ? download : sum(download, speech)
  return [job, exact(download), speech === undefined ? '' : exact(speech), exact(total)]
}

/** What `{{name}}` in a guide stands for: the numbers and tables that the code itself uses, as Markdown. */
export const facts = {
  'batch-items': count(MAX_BATCH_ITEMS),
  'delivery-attempts': `${delaysMs.length}`,
  'delivery-log-days': `${DELIVERY_LOG_MS / DAY_MS}`,
  'free-work': `${count(freeWork.engineSecondsPerHour)} seconds and ${freeWork.bytesPerHour / GB} GB`,
  'idempotency-hours': `${IDEMPOTENCY_MS / HOUR_MS}`,
  'old-secret-hours': `${OLD_SECRET_MS / HOUR_MS}`,
  'ready-upload-hours': `${READY_UPLOAD_MS / HOUR_MS}`,
  'retention-days': `${RETENTION_MS / DAY_MS}`,
  'upload-gigabytes': `${MAX_UPLOAD_BYTES / GB}`,
  'wait-seconds': `${MAX_WAIT_SECONDS}`,
  'delivery-delays': delaysMs.slice(1).map(durationText).join(', '),
  'rate-limits': table(
    ['Requests', 'Each hour', 'Jobs at the same time'],
    [
      ['`POST /import`', count(requestsPerHour.import), `${concurrentJobs.import}`],
      ['`POST /transcribe`', count(requestsPerHour.transcribe), `${concurrentJobs.transcription}`],
      ['Status of jobs and batches, transcripts, events', count(requestsPerHour.status), ''],
      ['All other requests', count(requestsPerHour.general), ''],
    ],
  ),
  sizes: table(
    ['What', 'Limit'],
    [
      ['Length of the media', `${MAX_MEDIA_SECONDS / 3_600} hours`],
      ['Upload', `${MAX_UPLOAD_BYTES / GB} GB, ${MAX_PENDING_UPLOADS} pending at the same time`],
      ['Uploads of an account, pending and ready', `${uploadBytes / GB} GB`],
      ['Items of a batch', count(MAX_BATCH_ITEMS)],
      ['Body of a request', `${MAX_BODY_BYTES / 1024} KiB`],
      ['Files are stored', `${RETENTION_MS / DAY_MS} days`],
      ['Jobs can be read', `${JOB_HISTORY_DAYS} days`],
    ],
  ),
  // Computed by the functions that charge.
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
}

/** A guide with its facts filled in. */
export const withFacts = (guide: string, baseUrl: string): string =>
  guide.replace(/\{\{([a-z-]+)\}\}/g, (placeholder, name: string) => {
    const fact = { ...facts, 'base-url': baseUrl }[name]
    if (fact === undefined) throw new Error(`Nothing is known as ${placeholder}`)
    return fact
  })
