import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { fullRateState, type RateState, WINDOW_TEXT } from '../../domain/account/account-limits.ts'
import { type Refusal, refusals } from '../../domain/codes/refusals.ts'
import type { Job } from '../../domain/jobs/job.ts'
import type { AccountAnswer, JobSnapshot } from '../account/calls.ts'
import { termsOf } from '../env.ts'
import { streamOf } from '../media/chunks.ts'
import { presentJob } from '../media/present.ts'
import { allowPage } from './cors.ts'
import { errorBody, isOpenaiPath, type OpenaiError, openaiErrorOf } from './openai/errors.ts'
import { account, foreignOrigin, type HttpEnv, identity, publicUrl } from './request-context.ts'

/** All JSON responses of the API are built by `respond`, `respondJob` and `refuse`, so that they share one envelope. */
export const respond = (c: Context<HttpEnv>, data: unknown, status: ContentfulStatusCode = 200): Response =>
  c.json(success(data), status)

/** A job, whose transcript is copied from storage while it is sent. `more` adds properties. */
export const respondJob = async (
  c: Context<HttpEnv>,
  job: Job,
  more: object = {},
  { withWords = false } = {},
): Promise<Response> => {
  const wrap = (view: object) => success({ ...view, ...more })
  return c.body(await jsonOf(c, job, wrap, withWords), 200, jsonHeaders)
}

const jsonOf = (c: Context<HttpEnv>, job: Job, wrap: (view: object) => object, withWords: boolean) =>
  presentJob(c.env, job, wrap, { accountId: c.var.caller.accountId, origin: publicUrl(c), withWords })

const jsonHeaders = { 'Content-Type': 'application/json' }

/** The head is sent at once, so that only the body has to pass all proxies when the job ends. */
export const respondJobLater = (
  c: Context<HttpEnv>,
  waitForJob: (signal: AbortSignal) => Promise<JobSnapshot>,
  { withWords }: { withWords: boolean },
): Response => {
  const gone = new AbortController()
  const chunks = async function* () {
    const { job } = await waitForJob(gone.signal)
    const { body } = new Response(await jsonOf(c, job, success, withWords))
    for await (const chunk of body ?? []) yield chunk
  }
  return c.body(
    streamOf(chunks(), () => gone.abort()),
    200,
    jsonHeaders,
  )
}

const success = (data: unknown) => ({ success: true, data })

/** The paths of whisper-asr-webservice: errors as FastAPI writes them, with the statuses after which clients of OpenAI retry. */
export const isWhisperAsrPath = (path: string): boolean => path === '/asr' || path === '/detect-language'

export const refuse = (c: Context<HttpEnv>, reason: Refusal): Response => {
  const { code, message, facts } = reason
  const { status } = refusals[code]
  if (status === 401) c.header('WWW-Authenticate', 'Bearer')
  if (typeof facts.retryAfter === 'number') c.header('Retry-After', `${facts.retryAfter}`)
  if (isOpenaiPath(c.req.path)) return respondOpenaiError(c, openaiErrorOf(reason))
  if (isWhisperAsrPath(c.req.path)) return respondDetail(c, openaiErrorOf(reason))
  const { requestId, rpcId = null } = c.var
  if (c.req.path === '/mcp') {
    return c.json(rpcErrorBody(rpcId, { message, data: { code, requestId, ...facts } }), status)
  }
  return c.json({ success: false, error: message, code, requestId, ...facts }, status)
}

export const respondDetail = (c: Context<HttpEnv>, { status, message }: Pick<OpenaiError, 'status' | 'message'>) =>
  c.json({ detail: message }, status)

/** From the range that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32_000

/** Refuses a whole MCP message. Clients show the text only in this form. */
export const rpcErrorBody = (id: string | number | null, error: { code?: number; message: string; data?: object }) => ({
  jsonrpc: '2.0',
  id,
  error: { code: SERVER_ERROR, ...error },
})

export const respondOpenaiError = (c: Context<HttpEnv>, error: OpenaiError): Response =>
  c.json(errorBody(error), error.status)

export const keepForHeaders = (c: Context<HttpEnv>, { rate, allowsOrigin }: AccountAnswer<unknown>): void => {
  c.set('rate', rate)
  const origin = foreignOrigin(c)
  if (allowsOrigin && origin !== null) c.set('allowedOrigin', origin)
}

export const handleAnswer = async <T>(
  c: Context<HttpEnv>,
  asked: AccountAnswer<T> | Promise<AccountAnswer<T>>,
  handle: (value: T) => Response | Promise<Response>,
): Promise<Response> => {
  const answer = await asked
  keepForHeaders(c, answer)
  const { result } = answer
  return result.ok ? handle(result.value) : refuse(c, result.refusal)
}

export const respondWith = <T>(
  c: Context<HttpEnv>,
  asked: AccountAnswer<T> | Promise<AccountAnswer<T>>,
  render: (value: T) => unknown,
  status: ContentfulStatusCode = 200,
): Promise<Response> => handleAnswer(c, asked, async (value) => respond(c, await render(value), status))

export const whenAuthenticated = (c: Context<HttpEnv>, handle: () => Response | Promise<Response>): Promise<Response> =>
  handleAnswer(c, account(c).authenticate(identity(c)), handle)

/** A refused request counts against the rate limit as well. A revoked key or a reached limit is reported first. */
export const refuseCounted = async (c: Context<HttpEnv>, reason: Refusal): Promise<Response> =>
  c.var.caller ? whenAuthenticated(c, () => refuse(c, reason)) : refuse(c, reason)

export const setStandardHeaders = (c: Context<HttpEnv>): void => {
  const { limit, remaining, reset }: RateState =
    c.get('rate') ?? fullRateState(termsOf(c.env).limits, c.get('rateClass'), Date.now())
  const { headers } = withMutableHeaders(c)
  headers.set('X-Request-Id', c.get('requestId'))
  headers.set('X-Api-Version', '1')
  // Browsers must not read JSON that contains a caller's text as a page or a script.
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('X-RateLimit-Limit', `${limit}`)
  headers.set('X-RateLimit-Remaining', `${remaining}`)
  headers.set('X-RateLimit-Reset', `${reset}`)
  headers.set('X-RateLimit-Window', WINDOW_TEXT)
  allowPage(c, headers)
}

/** The headers of a response that `fetch` returned are immutable. Only such a response is copied, because that is slow. */
const withMutableHeaders = (c: Context<HttpEnv>): Response => {
  try {
    c.res.headers.delete('X-Request-Id')
  } catch {
    c.res = new Response(c.res.body, c.res)
  }
  return c.res
}
