import { refusalAdvice } from '../../../domain/codes/advice.ts'
import type { Failure, FailureCode, failures } from '../../../domain/codes/failures.ts'
import { type Refusal, type RefusalCode, refusal } from '../../../domain/codes/refusals.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import { toDollars } from '../../../domain/money/money.ts'
import { dollars } from '../../../domain/money/price-text.ts'
import { type Answer, visible } from './answer.ts'

/** Tool errors say what is wrong and which call is next. Clients show them to the model, unlike protocol errors. */

export const refusedAnswer = ({ code, message: said, facts }: Refusal, jobId?: string): Answer => {
  const message = messageOf(code, said)
  // When a source cannot be read, `reason` is the code of the failure.
  const next = nextStep(typeof facts.reason === 'string' ? facts.reason : code, facts as Problem)
  return {
    isError: true,
    lines: [`${message} ${next}`, ...(code === 'SERVICE_UNAVAILABLE' ? [] : ['Nothing was charged for this call.'])],
    data: { job_id: jobId, error: { code, message, next } },
  }
}

export const failedAnswer = (job: Job, failure: Failure): Answer => {
  const { code, retryable, quote } = failure
  const message = messageOf(code, failure.message)
  const next = nextStep(code, problemOf(job, failure))
  const price = quote && { cost_dollars: toDollars(quote.costMicros), is_estimate: quote.isEstimate ?? false }
  const error = { code, message, retryable, quote: price, next }
  return {
    isError: true,
    lines: [`${kindOf(job)} ${job.id} failed and is free of charge. ${message} ${next}`],
    data: { job_id: job.id, type: job.kind, status: 'failed', error },
  }
}

/** Of a part of an import that failed: what a transcript lacks can be made without the import. */
export const partProblem = ({ id }: Job, kind: string, { code, message: said, quote }: Failure) => {
  const message = messageOf(code, said)
  if (kind !== 'transcript') return { code, message, next: nextStep(code, { tool: 'import_media' }) }
  const next = nextStep(code, { tool: 'transcribe', ...quoted(quote) })
  return { code, message, next: `${next} With import_id "${id}" instead of the URL, nothing is downloaded again.` }
}

const quoted = (quote: Failure['quote']): Pick<Problem, 'quote'> =>
  quote ? { quote: { costDollars: toDollars(quote.costMicros), isEstimate: quote.isEstimate ?? false } } : {}

const problemOf = ({ kind, request }: Job, { quote }: Failure): Problem => ({
  // A client may have learned of the failure from check_job.
  tool: kind === 'import' ? 'import_media' : 'transcribe',
  ...quoted(quote),
  ...('language' in request
    ? { language: request.language, maxCostDollars: request.maxCostMicros && toDollars(request.maxCostMicros) }
    : {}),
})

export const kindOf = ({ kind }: Job): string => (kind === 'import' ? 'Import' : 'Transcription')

export const refuseArguments = (sentence: string): Answer => refusedAnswer(refusal('INVALID_REQUEST', {}, sentence))

export interface Problem {
  /** The tool to call again. null: the one that was called. */
  tool?: string | null
  language?: string | null
  quote?: { costDollars: number; isEstimate: boolean } | null
  maxCostDollars?: number | null
  requiredDollars?: number | null
  availableDollars?: number | null
  retryAfter?: number | null
}

type Code = FailureCode | RefusalCode

/** What an agent should do next. Refusals that no tool meets have the advice of the documentation. Codes without a row may pass. */
export const nextStep = (code: string, problem: Problem = {}): string => {
  const step = Object.hasOwn(nextSteps, code) ? nextSteps[code as Code] : undefined
  if (step !== undefined) return typeof step === 'string' ? step : step(problem)
  return Object.hasOwn(refusalAdvice, code) ? refusalAdvice[code as RefusalCode] : again('a few minutes')(problem)
}

/** Where the message of the API names its own fields and endpoints. */
const messages: Partial<Record<Code, string>> = {
  TRANSCRIPTION_PROVIDER_REQUIRED: 'No captions were found.',
  MAX_COST_REQUIRED: 'The duration of the media is unknown.',
  MAX_COST_EXCEEDED: 'The estimated cost exceeds max_cost_dollars.',
  PROVIDER_KEY_REQUIRED: 'This provider requires an API key.',
  STORAGE_NOT_CONFIGURED: 'No bucket is configured.',
}

export const messageOf = (code: string, message: string): string => messages[code as Code] ?? visible(message)

const toolOf = ({ tool }: Problem): string => tool ?? 'the tool'
const again = (time: string) => (problem: Problem) => `Call ${toolOf(problem)} again in ${time}.`
const otherUrl = 'Ask the user for another URL of this media.'
const noRetry = (why: string): string => `Calling again will not help: ${why}.`
const tellOperator = (what: string): string => `Tell the user: ${what}.`

const needsMoney = ({ requiredDollars, availableDollars }: Problem): string => {
  const amounts =
    requiredDollars == null || availableDollars == null
      ? ''
      : ` ${dollars(requiredDollars)} is required and ${dollars(availableDollars)} is available.`
  return `Tell the user to add credit, or take a shorter part or a lower quality of the media.${amounts}`
}

/** Whole cents, so that the same quote fits the next time. An estimate gets a margin. */
const enoughFor = ({ costDollars, isEstimate }: NonNullable<Problem['quote']>): number =>
  Math.ceil(costDollars * (isEstimate ? 110 : 100) - 1e-6) / 100

const priceOf = ({ costDollars, isEstimate }: NonNullable<Problem['quote']>): string =>
  `${isEstimate ? 'about ' : ''}${dollars(costDollars)}`

const providerRequired = ({ quote, maxCostDollars, language }: Problem): string => {
  const others = language == null ? '' : 'look says which languages the captions have. '
  if (!quote) {
    return `${others}Call transcribe with provider "builtin". What it would cost is not known, because the source does not state its length; max_cost_dollars limits it.`
  }
  const limit = enoughFor(quote) > (maxCostDollars ?? 0) ? ` and max_cost_dollars ${enoughFor(quote)}` : ''
  return `${others}The built-in engine would cost ${priceOf(quote)}: call transcribe with provider "builtin"${limit}.`
}

const costExceeded = ({ quote, tool }: Problem): string =>
  quote
    ? `It would cost ${priceOf(quote)}. If the user agrees, call transcribe with max_cost_dollars ${enoughFor(quote)}.`
    : `If the user agrees, call ${tool ?? 'transcribe'} with a higher max_cost_dollars.`

const waitFor = (problem: Problem): string =>
  again(problem.retryAfter ? `${problem.retryAfter} seconds` : 'a minute')(problem)

type Step = string | ((problem: Problem) => string)
type PermanentFailure = {
  [Each in FailureCode]: (typeof failures)[Each]['retryable'] extends false ? Each : never
}[FailureCode]

const nextSteps: Record<PermanentFailure, Step> & Partial<Record<Code, Step>> = {
  // Failures of jobs.
  SOURCE_NOT_FOUND: 'Check the URL with look, or ask the user for the page or file of the media itself.',
  SOURCE_UNSUPPORTED:
    'If the URL is a playlist, a channel or a feed, call look to list its entries, and use the URL of one of them. Otherwise ask the user for another URL.',
  SOURCE_PRIVATE: otherUrl,
  SOURCE_AGE_RESTRICTED: otherUrl,
  SOURCE_REGION_BLOCKED: otherUrl,
  SOURCE_LIVE: (problem) => `Call ${toolOf(problem)} again after the stream has ended.`,
  SOURCE_DRM: noRetry('the media is encrypted for its own player'),
  SOURCE_RATE_LIMITED: again('ten minutes'),
  SOURCE_BLOCKED: again('ten minutes'),
  NO_AUDIO: noRetry('there is nothing to hear'),
  NO_VIDEO: 'Call import_media with audio_only true.',
  MEDIA_TOO_LARGE: 'Call import_media with a lower video_quality, audio_only true, or start and end for a part of it.',
  MEDIA_TOO_LONG:
    'Call import_media with start and end for a part of it, and transcribe with its import_id for the text.',
  INSUFFICIENT_BALANCE: needsMoney,
  KEY_BUDGET_EXCEEDED:
    'Tell the user that the monthly budget of the API key in the settings of this server is used up, or take a shorter part of the media.',
  STORAGE_FAILED: 'Call import_media with store false, or tell the user to check the settings of the bucket.',
  CANCELED: (problem) => `Call ${toolOf(problem)} again to start a new job.`,
  TRANSCRIPTION_PROVIDER_REQUIRED: providerRequired,
  MAX_COST_REQUIRED: 'Call transcribe with max_cost_dollars.',
  MAX_COST_EXCEEDED: costExceeded,
  PROVIDER_KEY_REJECTED:
    'Call transcribe with provider "builtin", or tell the user to store another key of the provider.',
  PROVIDER_QUOTA: 'Call transcribe with provider "builtin", or tell the user to add credit at the provider.',
  PROVIDER_FAILED: 'Call transcribe again, or with provider "builtin".',
  NO_SPEECH: noRetry('there is no speech to transcribe'),
  CLIP_OUT_OF_RANGE: 'Call import_media with a start before the end of the media. look says how long it is.',
  NO_ITEMS: otherUrl,

  // Refusals of requests.
  INVALID_REQUEST: 'Correct the argument and call the tool again.',
  UNREACHABLE_URL: 'Check the spelling of the URL. Only public http and https addresses can be reached.',
  SOURCE_UNREADABLE: 'Check that the URL leads to a page or a file with media.',
  PROVIDER_KEY_REQUIRED:
    'Call transcribe with provider "builtin", or tell the user to store a key of the provider with POST /transcription-provider.',
  OPTION_UNSUPPORTED: 'Call the tool without this option.',
  STORAGE_NOT_CONFIGURED: 'Call import_media with store false, or tell the user to set a bucket with PUT /storage.',
  UNAUTHORIZED: tellOperator('the API key in the settings of this server is not valid any more'),
  ACCOUNT_SUSPENDED: tellOperator('the account is suspended, which only the operator of the service can change'),
  SCOPE_MISSING: tellOperator('the API key in the settings of this server may not do this'),
  NOT_FOUND: 'Check the id. transcribe and import_media return a job_id, and watch a watch_id.',
  JOB_NOT_FOUND: 'Check the job_id. transcribe and import_media return it.',
  IDEMPOTENCY_IN_PROGRESS: again('a few seconds'),
  SOURCE_NOT_READY: 'Call check_job with the import_id, and this tool when the import has completed.',
  TOO_MANY_WATCHES: 'Ask the user which watch is not needed any more, and call watch with action "remove" for it.',
  WATCH_PAUSED: 'Call watch with action "show" to see why, and with "resume" to end the pause.',
  TRANSCRIPT_NOT_READY: 'Call check_job with this job_id, and read_transcript when it has completed.',
  MEDIA_EXPIRED: 'Call transcribe or import_media with the URL to get it again.',
  BODY_TOO_LARGE: 'Call the tool with shorter arguments.',
  RATE_LIMITED: waitFor,
  CONCURRENCY_LIMITED:
    'Call check_job with the job_id of a job that runs, which waits for its end, or wait a minute, and then call this tool again.',
  FREE_WORK_LIMITED: waitFor,
  INTERNAL_ERROR: again('a few minutes'),
  SERVICE_BUSY: again('ten seconds'),
  SERVICE_UNAVAILABLE: again('ten seconds'),
}
