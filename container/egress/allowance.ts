import { TransformStream } from 'node:stream/web'
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
  const counted = () =>
    new TransformStream<Uint8Array, Uint8Array>(
      {
        transform: (chunk, controller) => {
          leftBytes -= chunk.byteLength
          if (leftBytes < 0) controller.error(new AllowanceExceeded(maxBytes))
          else controller.enqueue(chunk)
        },
      },
      undefined,
      // Reads nothing ahead of its reader.
      { highWaterMark: 0 },
    )
  return {
    fetch: async (url, init) => {
      if (leftBytes <= 0) throw new AllowanceExceeded(maxBytes)
      const response = await egress.fetch(url, init)
      if (!response.body) return response
      const { status, statusText, headers } = response
      const limited = new Response(response.body.pipeThrough(counted()), { status, statusText, headers })
      return Object.defineProperty(limited, 'url', { value: response.url })
    },
    get leftBytes() {
      return Math.max(0, leftBytes)
    },
    proxySocket: egress.proxySocket,
    close: () => egress.close(),
  }
}
