import { type Facts, type Refusal, refusals } from '../../../domain/codes/refusals.ts'

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
  if (code === 'SOURCE_UNSUPPORTED') return { status: 400, code, message, param: 'file', facts: others }
  if (code === 'UNREACHABLE_URL') return { status: 400, code, message, param: 'url', facts: others }
  return { status: refusals[code].status, code, message, param: named, facts: others }
}

export const errorBody = ({ status, code, message, param = null, facts = {} }: OpenaiError) => ({
  error: { message, type: status >= 500 ? 'server_error' : 'invalid_request_error', param, code, ...facts },
})
