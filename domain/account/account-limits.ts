import { z } from 'zod'
import type { JobKind } from '../jobs/job.ts'
import { MAX_LIMIT_BYTES } from '../limits.ts'
import { notEmpty } from '../schemas.ts'
import { HOUR_MS } from '../time.ts'

export type RateClass = 'import' | 'transcribe' | 'status' | 'general'

/** Operators set these for single accounts. domain/limits.ts has those that hold for all accounts. */
export interface AccountLimits {
  requestsPerHour: Record<RateClass, number>
  concurrentJobs: Record<JobKind, number>
  /** Work that ends without a charge: of failed and canceled jobs, previews, listings and inspections. */
  freeWork: Record<'engineSecondsPerHour' | 'bytesPerHour', number>
  uploadBytes: number
  watches: number
}

export const defaultLimits: AccountLimits = {
  requestsPerHour: { import: 240, transcribe: 240, status: 3_600, general: 3_600 },
  concurrentJobs: { import: 2, transcription: 5 },
  freeWork: { engineSecondsPerHour: 1_200, bytesPerHour: 20_000_000_000 },
  uploadBytes: 50_000_000_000,
  watches: 100,
}

/** An account that may start nothing is suspended, so no limit is 0. */
export const MAX_REQUESTS_PER_HOUR = 1_000_000
/** Each act of an account reads all of its live jobs, so their number is limited. */
export const MAX_CONCURRENT_JOBS = 100
/** Each round of polls reads all of its watches. */
export const MAX_WATCHES = 1_000
/** More engines than an account can use at once. */
export const MAX_ENGINE_SECONDS_PER_HOUR = MAX_CONCURRENT_JOBS * 3_600

const limitsOfSome = <Limit extends z.ZodType>(limit: (max: number) => Limit) => {
  const [requests, jobs, bytes] = [limit(MAX_REQUESTS_PER_HOUR), limit(MAX_CONCURRENT_JOBS), limit(MAX_LIMIT_BYTES)]
  const engineSeconds = limit(MAX_ENGINE_SECONDS_PER_HOUR)
  return notEmpty(
    z.strictObject({
      requestsPerHour: notEmpty(
        z.strictObject({ import: requests, transcribe: requests, status: requests, general: requests }),
      ).optional(),
      concurrentJobs: notEmpty(z.strictObject({ import: jobs, transcription: jobs })).optional(),
      freeWork: notEmpty(z.strictObject({ engineSecondsPerHour: engineSeconds, bytesPerHour: bytes })).optional(),
      uploadBytes: bytes,
      watches: limit(MAX_WATCHES),
    }),
  )
}

const upTo = (max: number) => z.number().int().min(1).max(max)

export const SomeLimits = limitsOfSome((max) => upTo(max).optional())
export type OwnLimits = z.infer<typeof SomeLimits>

/** null resets a limit to that of the deployment. */
export const ChangedLimits = limitsOfSome((max) => upTo(max).nullable().optional())
export type LimitChanges = z.infer<typeof ChangedLimits>

type Limits<Name extends string> = { [Each in Name]?: number | null | undefined }

const known = <Name extends string>(...limits: (Limits<Name> | undefined)[]): Partial<Record<Name, number>> => {
  const latest = Object.entries<number | null | undefined>(Object.assign({}, ...limits))
  return Object.fromEntries(latest.filter(([, limit]) => limit != null)) as Partial<Record<Name, number>>
}

export const limitsOf = (own: OwnLimits, others: AccountLimits): AccountLimits => ({
  requestsPerHour: { ...others.requestsPerHour, ...known(own.requestsPerHour) },
  concurrentJobs: { ...others.concurrentJobs, ...known(own.concurrentJobs) },
  freeWork: { ...others.freeWork, ...known(own.freeWork) },
  uploadBytes: own.uploadBytes ?? others.uploadBytes,
  watches: own.watches ?? others.watches,
})

export const changedLimits = (own: OwnLimits, changes: LimitChanges): OwnLimits => {
  const { uploadBytes = own.uploadBytes, watches = own.watches } = changes
  return {
    requestsPerHour: known(own.requestsPerHour, changes.requestsPerHour),
    concurrentJobs: known(own.concurrentJobs, changes.concurrentJobs),
    freeWork: known(own.freeWork, changes.freeWork),
    ...known({ uploadBytes, watches }),
  }
}

/** A window starts with the account's first request in its class. */
export const WINDOW_MS = HOUR_MS

export const WINDOW_TEXT = '1 h'

export interface RateState {
  class: RateClass
  limit: number
  remaining: number
  /** Unix seconds. */
  reset: number
}

/** For callers without a known account. */
export const fullRateState = (
  { requestsPerHour }: Pick<AccountLimits, 'requestsPerHour'>,
  rateClass: RateClass,
  now: number,
): RateState => {
  const limit = requestsPerHour[rateClass]
  return { class: rateClass, limit, remaining: limit, reset: Math.ceil((now + WINDOW_MS) / 1000) }
}
