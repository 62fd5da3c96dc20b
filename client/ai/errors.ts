import { APICallError } from '@ai-sdk/provider'
import { HaulApiError, HaulError, HaulJobError } from '../src/index.ts'
import type { HaulTranscriptionOptions } from './request-fields.ts'

/**
 * The error of this package as the SDK knows it. It is never retryable: requests were tried again already, with one
 * Idempotency-Key, and the SDK would start a second job. The error of this package is its cause.
 */
export const sdkErrorOf = (
  cause: unknown,
  url: string,
  { apiKey, ...requestBodyValues }: HaulTranscriptionOptions,
): unknown => {
  if (!(cause instanceof HaulError)) return cause
  const error = { message: messageOf(cause), url, requestBodyValues, cause, isRetryable: false }
  if (cause instanceof HaulJobError) {
    const { jobId, code, retryable, quote } = cause
    return new APICallError({ ...error, data: { jobId, code, retryable, quote } })
  }
  if (!(cause instanceof HaulApiError)) return new APICallError(error)
  const { status, body } = cause
  return new APICallError({ ...error, statusCode: status, responseBody: JSON.stringify(body), data: body })
}

const messageOf = (error: HaulError): string => {
  if (error instanceof HaulApiError) {
    return [error.message, ...error.details.map(({ path, message }) => `${path} ${message}.`)].join(' ')
  }
  if (!(error instanceof HaulJobError) || !/^MAX_COST_/.test(error.code)) return error.message
  const dollars = error.quote?.estimatedCostDollars
  const estimate = dollars === undefined ? '' : ` It will cost about $${dollars}.`
  return `${error.message}${estimate} Set providerOptions: { haul: { maxCostDollars } }.`
}
