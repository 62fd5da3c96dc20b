import { retry } from '../../domain/retry.ts'
import type { Egress } from '../egress/egress.ts'
import { SourceTooSlow } from '../egress/least-speed.ts'
import { SourceProxyFailed } from '../egress/tunnel.ts'
import { SourceFailure } from '../failures.ts'
import { fileNameOf, nameInUrl, stemOf } from './filename.ts'
import { sniff } from './sniff.ts'
import { type RangeResponse, readAtLeast } from './transfer/range-response.ts'
import {
  defaultRetryPolicy,
  Interrupted,
  RefusedByOrigin,
  type RetryPolicy,
  retryOptions,
} from './transfer/retry-policy.ts'
import { type FetchContext, type FileAddress, type Identity, requestRange } from './transfer/stream.ts'

/** A URL after its first response. The download continues with that response, so no byte is requested twice. */
export type OpenedUrl = Awaited<ReturnType<typeof openDirect>>

/** A small file arrives complete with the first response. For a large one this is enough to start with. */
export const openingBytes = 1_048_576
const sniffedBytes = 4_096
/** Fewer than for a download, because a caller may be waiting for the response. */
const openingAttempts = 3

/** Identifies a URL with one request. Only the bytes count: the Content-Type is ignored. */
export async function openDirect(
  url: string,
  egress: Egress,
  signal: AbortSignal,
  {
    headers = {},
    retryPolicy,
  }: { headers?: Record<string, string>; retryPolicy?: Partial<RetryPolicy> | undefined } = {},
) {
  const context = { egress, signal, retryPolicy }
  const { head, ...opened } = await openWithRetries({ url, headers }, context)
  let response: RangeResponse | null = opened.response
  const filename = fileNameOf(response.headers.get('content-disposition'))
  return {
    /** After redirects. */
    url: response.url,
    kind: sniff(head),
    title: stemOf(filename ?? nameInUrl(response.url)),
    /** Only for its charset: what kind of file it is, the bytes say. */
    contentType: response.headers.get('content-type'),
    sizeBytes: response.totalBytes,
    /** What later ranges of the file are compared with; null if the origin serves no ranges, or nothing identifies the file. */
    identity: identityOf(response),
    /** The first bytes, without consuming them: fewer if the response has fewer, null after `take`. */
    async head(bytes: number): Promise<Uint8Array | null> {
      const head = response && (await readAtLeast(response, bytes))
      if (head) response?.unread(head)
      return head
    },
    /** The first response, once. null after that. */
    take(): RangeResponse | null {
      const taken = response
      response = null
      return taken
    },
    /** Closes the connection unless the response was taken. */
    discard: (): void => response?.discard(),
  }
}

const identityOf = ({ isRange, totalBytes, tag, validator }: RangeResponse): Identity | null =>
  isRange && totalBytes !== null && tag !== null ? { totalBytes, tag, validator } : null

/**
 * Retries when the origin is overloaded, too slow, or cuts the connection, and when its source proxy fails, but not
 * when it is unreachable.
 */
const openWithRetries = (
  address: FileAddress,
  context: FetchContext,
): Promise<{ response: RangeResponse; head: Uint8Array }> => {
  const policy = { ...defaultRetryPolicy, ...context.retryPolicy }
  const open = async () => {
    const response = await requestFirstBytes(address, context)
    const head = await readAtLeast(response, sniffedBytes)
    response.unread(head)
    return { response, head }
  }
  return retry(open, {
    ...retryOptions({ ...policy, attempts: Math.min(policy.attempts, openingAttempts) }, context.signal),
    isRetryable: (error) => error instanceof Interrupted && isPassing(error.cause),
  })
}

const isPassing = (cause: unknown): boolean =>
  cause instanceof SourceTooSlow || cause instanceof SourceProxyFailed || !(cause instanceof SourceFailure)

/** Requests the first bytes of a file. The response is the whole file if the origin has no ranges. */
export async function requestFirstBytes(address: FileAddress, context: FetchContext): Promise<RangeResponse> {
  const whole = { ...address, start: 0, end: null }
  const request = { ...whole, end: openingBytes }
  const response = await requestRange(request, context).catch((error) => {
    // No range of an empty file can be satisfied (416).
    if (error instanceof RefusedByOrigin && error.status === 416) return null
    throw error
  })
  const isUsable = response && response.start === 0 && !(response.isRange && response.totalBytes === null)
  if (isUsable) return response
  response?.discard()
  return await requestRange(whole, context)
}
