import type { z } from 'zod'
import type { Failure } from '../../../domain/codes/failures.ts'
import { type Facts, type Refusal, refusal } from '../../../domain/codes/refusals.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import { toDollars } from '../../../domain/money/money.ts'
import { refusalOfFault } from '../account-calls.ts'
import { invalidRequest } from '../validation-messages.ts'
import type { Answer } from './answer.ts'
import { messageOf, nextStep, type Problem } from './next-steps.ts'

/** Tool errors: what is wrong, and which call is next. Clients show them to the model, unlike errors of the protocol. */

export const refusedAnswer = ({ code, message: said, facts }: Refusal, jobId?: string): Answer => {
  const message = messageOf(code, said)
  // A source that cannot be read has the code of the failure as its reason.
  const next = nextStep(typeof facts.reason === 'string' ? facts.reason : code, problemOfFacts(facts))
  return {
    isError: true,
    lines: [`${message} ${next}`, ...(code === 'SERVICE_UNAVAILABLE' ? [] : ['Nothing was charged for this call.'])],
    data: { ...(jobId === undefined ? {} : { job_id: jobId }), error: { code, message, next } },
  }
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

const problemOfFacts = ({ requiredDollars, availableDollars, retryAfter }: Facts): Problem => ({
  requiredDollars: numberOf(requiredDollars),
  availableDollars: numberOf(availableDollars),
  retryAfter: numberOf(retryAfter),
})

export const failedAnswer = (job: Job, failure: Failure): Answer => {
  const { code, retryable, quote } = failure
  const message = messageOf(code, failure.message)
  const next = nextStep(code, problemOf(job, failure))
  const price = quote && { cost_dollars: toDollars(quote.costMicros), is_estimate: quote.isEstimate ?? false }
  const error = { code, message, retryable, ...(price ? { quote: price } : {}), next }
  return {
    isError: true,
    lines: [`${kindOf(job)} ${job.id} failed and is free of charge. ${message} ${next}`],
    data: { job_id: job.id, type: job.kind, status: 'failed', error },
  }
}

const problemOf = ({ kind, request }: Job, { quote }: Failure): Problem => ({
  // A client may have learned of the failure from check_job.
  tool: kind === 'import' ? 'import_media' : 'transcribe',
  ...(quote ? { quote: { costDollars: toDollars(quote.costMicros), isEstimate: quote.isEstimate ?? false } } : {}),
  ...('language' in request
    ? { language: request.language, maxCostDollars: request.maxCostMicros && toDollars(request.maxCostMicros) }
    : {}),
})

export const kindOf = ({ kind }: Job): string => (kind === 'import' ? 'Import' : 'Transcription')

export const invalidArguments = (error: z.core.$ZodError): Answer => {
  const { code, facts } = invalidRequest(error)
  const details = (facts.details ?? []) as { path: string; message: string }[]
  const sentence = details.map(({ path, message }) => `${path === '' ? 'arguments' : path} ${message}`).join('; ')
  return refusedAnswer(refusal(code, {}, `The arguments are not valid: ${sentence}.`))
}

export const refuseArguments = (sentence: string): Answer => refusedAnswer(refusal('INVALID_REQUEST', {}, sentence))

export const faultAnswer = (requestId: string, cause: unknown): Answer => {
  const { code, message } = refusalOfFault(cause)
  const next = nextStep(code)
  // Whether a job was started is not known.
  return {
    isError: true,
    lines: [`${message} The id of this request is ${requestId}. ${next}`],
    data: { error: { code, message, next } },
  }
}
