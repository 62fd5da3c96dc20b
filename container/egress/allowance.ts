import { SourceFailure } from '../failures.ts'
import type { Egress } from './egress.ts'
import { withBodyOnDemand } from './requests.ts'

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
  const fetch: Egress['fetch'] = async (url, init) => {
    if (leftBytes <= 0) throw new AllowanceExceeded(maxBytes)
    return withBodyOnDemand(await egress.fetch(url, init), async (next) => {
      const chunk = await next()
      leftBytes -= chunk.done ? 0 : chunk.value.byteLength
      if (leftBytes < 0) throw new AllowanceExceeded(maxBytes)
      return chunk
    })
  }
  return Object.create(egress, { fetch: { value: fetch }, leftBytes: { get: () => Math.max(0, leftBytes) } })
}
