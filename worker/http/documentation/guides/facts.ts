import { defaultLimits } from '../../../../domain/account-limits.ts'
import {
  IDEMPOTENCY_MS,
  JOB_HISTORY_DAYS,
  MAX_BATCH_ITEMS,
  MAX_BODY_BYTES,
  MAX_MEDIA_SECONDS,
  MAX_WAIT_SECONDS,
  RETENTION_MS,
} from '../../../../domain/limits.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../domain/time.ts'
import { MAX_PENDING_UPLOADS, MAX_UPLOAD_BYTES, READY_UPLOAD_MS } from '../../../../domain/uploads/upload.ts'
import { DELIVERY_LOG_MS, delaysMs, OLD_SECRET_MS } from '../../../../domain/webhooks/retry-schedule.ts'
import { codeTables } from './code-tables.ts'
import { priceTables } from './price-tables.ts'
import { table } from './table.ts'

const GB = 1_000_000_000

const count = (number: number): string => number.toLocaleString('en')
const { requestsPerHour, concurrentJobs, freeWork, uploadBytes } = defaultLimits

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
  ...priceTables,
  ...codeTables,
}

function durationText(ms: number): string {
  if (ms < MINUTE_MS) return `${ms / 1000} s`
  return ms < HOUR_MS ? `${ms / MINUTE_MS} min` : `${ms / HOUR_MS} h`
}

/** A guide with its facts filled in. */
export const withFacts = (guide: string, baseUrl: string): string =>
  guide.replace(/\{\{([a-z-]+)\}\}/g, (placeholder, name: string) => {
    const fact = { ...facts, 'base-url': baseUrl }[name]
    if (fact === undefined) throw new Error(`Nothing is known as ${placeholder}`)
    return fact
  })
