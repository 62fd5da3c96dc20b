import type { Mishap, Outcome } from '../../domain/webhooks/deliveries.ts'
import { retryAfterMs } from '../../domain/webhooks/schedule.ts'
import { Forbidden, type Outbound } from '../../outbound.ts'
import { headOf } from './answer.ts'

const TIMEOUT_MS = 15_000

/** One POST. Whatever happens to it is an outcome; nothing is thrown. */
export const attempt = async (
  outbound: Outbound,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<Outcome> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await outbound.fetch(new URL(url), { method: 'POST', headers, body, signal })
    return {
      status: response.status,
      answer: await headOf(response),
      mishap: mishapOf(response.status),
      retryAfterMs: retryAfterMs(response.headers.get('retry-after'), Date.now()),
    }
  } catch (cause) {
    const mishap =
      cause instanceof Forbidden ? 'ADDRESS_NOT_PUBLIC' : signal.aborted ? 'TIMED_OUT' : 'CONNECTION_FAILED'
    return { status: null, answer: null, mishap, retryAfterMs: null }
  }
}

const mishapOf = (status: number): Mishap | null => {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'REDIRECTED' : 'REFUSED'
}
