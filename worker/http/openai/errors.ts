import type { Failure, FailureCode } from '../../../domain/codes/failures.ts'
import { type Facts, type Refusal, type RefusalCode, refusals } from '../../../domain/codes/refusals.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import { quoteView } from '../../../domain/jobs/job-status.ts'

/** An error as OpenAI's API reports it. Its clients choose an exception class by the status. */
export interface OpenaiError {
  status: ErrorStatus
  code: string
  message: string
  param?: string | null
  /** More for programs that know this service: requiredDollars, limit, jobId… */
  facts?: Facts | { quote?: object | undefined; jobId?: string }
}

type ErrorStatus = (typeof refusals)[keyof typeof refusals]['status'] | 502 | 504

/** Every path of this API. Its clients cannot read the envelope of the others. */
export const isOpenaiPath = (path: string): boolean => path === '/v1' || path.startsWith('/v1/')

export const openaiErrorOf = ({ code, message, facts }: Refusal): OpenaiError => {
  const { details, ...others } = facts
  const [first] = Array.isArray(details) ? details : []
  // A path such as `timestamp_granularities[].0` names an element of a list.
  const field = first?.path.split('.')[0] || null
  const status = code === 'SOURCE_UNSUPPORTED' ? 400 : refusals[code].status
  return { status, code, message, param: (field && (ownNames[field] ?? field)) ?? fieldOf[code] ?? null, facts: others }
}

/** What asks here for these options of ours. */
const ownNames: Partial<Record<string, string>> = {
  speakers: 'response_format',
  words: 'timestamp_granularities[]',
  translate: 'model',
}

const fieldOf: Partial<Record<RefusalCode, string>> = {
  SOURCE_UNSUPPORTED: 'file',
  BODY_TOO_LARGE: 'file',
  UNREACHABLE_URL: 'url',
  PROVIDER_KEY_REQUIRED: 'model',
}

export const errorBody = ({ status, code, message, param = null, facts = {} }: OpenaiError) => ({
  error: { message, type: status >= 500 ? 'server_error' : 'invalid_request_error', param, code, ...facts },
})

/**
 * OpenAI's clients repeat a request after 408, 409, 429 and all statuses from 500, and a request after a failure starts a new
 * job. So only failures that may pass within seconds have such a status. All others have 400, which is OpenAI's status for media
 * that it cannot transcribe. That includes SOURCE_RATE_LIMITED, because a new job would hit the same limit;
 * PROVIDER_KEY_REJECTED, because 401 would mean that the key of this service is wrong; and CANCELED, because 409 would start
 * the job again.
 */
const statuses: Partial<Record<FailureCode, ErrorStatus>> = {
  // Money, of this account or of the one at the provider.
  MAX_COST_EXCEEDED: 402,
  INSUFFICIENT_BALANCE: 402,
  PROVIDER_QUOTA: 402,
  PROVIDER_RATE_LIMITED: 429,
  PROVIDER_FAILED: 502,
  SPEECH_UNAVAILABLE: 503,
  TIMED_OUT: 500,
  STORAGE_FAILED: 500,
  INTERNAL: 500,
}

/** Clients wait for as long as Retry-After says, up to a minute. */
export const retryAfterSeconds: Partial<Record<FailureCode, number>> = {
  PROVIDER_RATE_LIMITED: 30,
  SPEECH_UNAVAILABLE: 10,
}

export const failedJobError = ({ id, request }: Job, failure: Failure): OpenaiError => ({
  status: statuses[failure.code] ?? 400,
  code: failure.code,
  message: failure.message.replaceAll('maxCostDollars', 'max_cost_dollars'),
  param: paramOf(failure.code, request.url === null ? 'file' : 'url'),
  facts: { jobId: id, ...(failure.quote && { quote: quoteView(failure.quote) }) },
})

const paramOf = (code: FailureCode, source: 'file' | 'url'): string | null => {
  if (code.startsWith('MAX_COST_')) return 'max_cost_dollars'
  return /^(?:SOURCE|NO|MEDIA)_/.test(code) ? source : null
}
