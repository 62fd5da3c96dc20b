import { type Facts, type Refusal, type RefusalCode, refusals } from '../../../domain/codes/refusals.ts'

/** An error as OpenAI's API reports it. Its clients choose an exception class by the status. */
export interface OpenaiError {
  status: ErrorStatus
  code: string
  message: string
  /** The field that is wrong. */
  param?: string | null
  /** More for programs that know this service: requiredDollars, limit, jobId… */
  facts?: Facts | { quote?: object | undefined; jobId?: string }
}

export type ErrorStatus = (typeof refusals)[keyof typeof refusals]['status'] | 502 | 504

/** Every path of this API. Its clients cannot read the envelope of the others. */
export const isOpenaiPath = (path: string): boolean => path === '/v1' || path.startsWith('/v1/')

export const openaiErrorOf = ({ code, message, facts }: Refusal): OpenaiError => {
  const { details, ...others } = facts
  const [first] = Array.isArray(details) ? details : []
  // A path such as `timestamp_granularities[].0` names an element of a list.
  const named = first?.path.split('.')[0] || null
  const status = code === 'SOURCE_UNSUPPORTED' ? 400 : refusals[code].status
  return { status, code, message, param: named ?? fieldOf[code] ?? null, facts: others }
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
