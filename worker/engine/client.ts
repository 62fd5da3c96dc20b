import { type ProbeRequest, ProbeResponse, type StepOrder } from '../../domain/protocol/protocol.ts'

/** `busy`: the container is full or shutting down. `unreachable`: there was no usable response. */
export type StartResult = 'started' | 'busy' | 'unreachable'

/** The container that works for an account. */
export interface Engine {
  /** Throws when the container rejects the order as malformed. */
  start(order: StepOrder): Promise<StartResult>
  /** `busy`: there was no place for the probe in time, or the container is shutting down. */
  probe(order: ProbeRequest, disconnected: AbortSignal): Promise<ProbeResponse | 'busy'>
}

export const engineOf = (engines: Env['ENGINES'], accountId: string): Engine => {
  const post = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
    // A stub stays broken after its object restarts, so each request gets a new one.
    engines.getByName(accountId).fetch(`http://engine${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, accountId }),
      ...(signal && { signal }),
    })
  return {
    start: async (order) => {
      const response = await postTwice(() => post('/steps', order), order.jobId)
      await response?.body?.cancel()
      if (response?.status === 202) return 'started'
      if (response?.status === 429 || response?.status === 503) return 'busy'
      if (!response || response.status >= 500) return 'unreachable'
      throw new Error(`the container answered ${response.status} to a step order`)
    },
    probe: async (order, disconnected) => {
      const response = await post('/probe', order, disconnected)
      if (response.status === 503) {
        await response.body?.cancel()
        return 'busy'
      }
      if (!response.ok) throw new Error(`the container answered ${response.status} to a probe order`)
      return ProbeResponse.parse(await response.json())
    },
  }
}

/**
 * When the response is lost, the container may have started the step. It accepts an order once for each lease, so
 * sending the same order again is safe. Otherwise the step would be postponed, and what the container started, lost.
 */
const postTwice = async (post: () => Promise<Response>, jobId: string): Promise<Response | null> => {
  for (let attempt = 1; attempt <= 2; attempt++) {
    try {
      return await post()
    } catch (cause) {
      console.error('engine request failed', jobId, attempt, cause)
    }
  }
  return null
}
