import { Agent, fetch } from 'undici'
import { SourceFailure } from '../failures.ts'
import { type Egress, plainEgress } from './egress.ts'

const IDLE_MS = 30_000
const CONNECT_MS = 10_000

/** There is no guard: no caller chose these addresses, and on a self-hosted server they are private. */
export const createStorageEgress = (signal: AbortSignal): Egress => {
  const agent = new Agent({ connect: { timeout: CONNECT_MS }, headersTimeout: IDLE_MS, bodyTimeout: IDLE_MS })
  const close = async () => {
    signal.removeEventListener('abort', close)
    await agent.destroy()
  }
  signal.addEventListener('abort', close, { once: true })
  return {
    ...plainEgress,
    fetch: async (url, init = {}) => {
      const bounded = init.signal ? AbortSignal.any([signal, init.signal]) : signal
      const headers = { 'accept-encoding': 'identity', ...init.headers }
      try {
        return await fetch(url, { ...init, headers, dispatcher: agent, redirect: 'error', signal: bounded })
      } catch (cause) {
        bounded.throwIfAborted()
        throw new SourceFailure('SOURCE_UNREACHABLE', undefined, { cause })
      }
    },
    proxySocket: () => Promise.reject(new Error('no child process reads from storage')),
    close,
  }
}
