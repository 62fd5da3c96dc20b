import type { Response } from 'undici'
import { SourceFailure } from '../source/failure.ts'

/**
 * The one way out. One Egress per step: everything it opens goes to addresses that were checked at the
 * moment of connecting, is counted, and ends when the step ends.
 */
export interface Egress {
  /**
   * Follows at most five redirects, each target checked anew. Throws SourceFailure('SOURCE_UNREACHABLE')
   * for anything that keeps an answer from arriving, a forbidden address included: to callers they look the
   * same. Only whoever would try again is told by OutOfReach that it is no use.
   * Statuses are the caller's to judge. A body that came compressed is decoded, and the answer has lost its
   * content-length. A body that breaks off or stalls throws what undici throws.
   */
  fetch(url: string, init?: EgressInit): Promise<Response>
  /** Address of a filtering HTTP proxy (plain and CONNECT) for child processes, on a Unix socket. */
  readonly proxySocket: string
  /** Bytes of bodies received so far, through fetch and proxy together. */
  readonly receivedBytes: number
  close(): Promise<void>
}

export interface EgressInit {
  method?: 'GET' | 'HEAD'
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Forbidden, now and later: another try would end the same. */
export class OutOfReach extends SourceFailure {
  constructor(cause: unknown) {
    super('SOURCE_UNREACHABLE', undefined, { cause })
  }
}

/** A verdict about a name and port, for the Worker's own requests as well. */
export type MayReach = (host: string, port: number) => Promise<boolean>
