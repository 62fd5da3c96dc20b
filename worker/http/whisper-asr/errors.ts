import type { Context } from 'hono'
import type { Failure } from '../../../domain/codes/failures.ts'
import type { Refusal } from '../../../domain/codes/refusals.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import { type ErrorStatus, failedJobError, openaiErrorOf } from '../openai/errors.ts'
import type { HttpEnv } from '../request-context.ts'

/** The paths of whisper-asr-webservice. Its clients read errors as FastAPI writes them. */
export const isWhisperAsrPath = (path: string): boolean => path === '/asr' || path === '/detect-language'

export const respondDetail = (c: Context<HttpEnv>, status: ErrorStatus, detail: string): Response =>
  c.json({ detail }, status)

export const refuseWithDetail = (c: Context<HttpEnv>, reason: Refusal): Response => {
  const { status, message } = openaiErrorOf(reason)
  return respondDetail(c, status, message)
}

/** With the statuses of the OpenAI API: its clients repeat requests after the same ones. */
export const respondFailed = (c: Context<HttpEnv>, job: Job, reason: Failure): Response => {
  const { status, message } = failedJobError(job, reason)
  return respondDetail(c, status, message)
}
