import { Response } from 'undici'
import { SourceFailure } from '../failures.ts'
import type { Egress } from './egress.ts'

/** An Egress that reads only so many bytes, whatever it is used for. */
export interface LimitedEgress extends Egress {
  readonly leftBytes: number
}

/** The allowance is used up, so a retry cannot succeed. */
export class AllowanceExceeded extends SourceFailure {
  constructor(maxBytes: number) {
    super('SOURCE_UNSUPPORTED', `More than ${maxBytes} bytes of the source would have to be read.`)
  }
}

/**
 * Counts the bytes of all responses as they are read: retries, redirected files and parts that turn out to be useless
 * included. What a child process requests through the proxy is not counted.
 */
export const withAllowance = (egress: Egress, maxBytes: number): LimitedEgress => {
  let leftBytes = maxBytes
  const take = (bytes: number) => {
    leftBytes -= bytes
    if (leftBytes < 0) throw new AllowanceExceeded(maxBytes)
  }
  return {
    fetch: async (url, init) => {
      if (leftBytes <= 0) throw new AllowanceExceeded(maxBytes)
      return withCountedBody(await egress.fetch(url, init), take)
    },
    get leftBytes() {
      return Math.max(0, leftBytes)
    },
    proxySocket: egress.proxySocket,
    close: () => egress.close(),
  }
}

/** A body that is read only on demand, and canceled when `take` throws. */
const withCountedBody = (response: Response, take: (bytes: number) => void): Response => {
  const reader = response.body?.getReader()
  if (!reader) return response
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        try {
          take(value.byteLength)
        } catch (error) {
          await reader.cancel(error)
          throw error
        }
        controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  const { status, statusText, headers, url } = response
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url })
}
