import type { KeyPool } from '../requests/counted-use.ts'

/** Of each pool of keys. */
export const MAX_EVENT_STREAMS = 10
/** A stream asks at least every 2.5 s, except while it waits for a slow reader. */
const STREAM_LEASE_MS = 15_000

/** In memory: each stream asks again and again, and one that stops does not count. After an eviction all ask again. */
export class OpenStreams {
  readonly #open = new Map<string, { pool: KeyPool; until: number }>()

  /** Without the stream that asks, which a repeated call has opened already. */
  countOthers(streamId: string, pool: KeyPool, now: number): number {
    for (const [id, { until }] of this.#open) if (until <= now) this.#open.delete(id)
    return [...this.#open].filter(([id, stream]) => id !== streamId && stream.pool === pool).length
  }

  renew(streamId: string, pool: KeyPool, now: number): void {
    this.#open.set(streamId, { pool, until: now + STREAM_LEASE_MS })
  }

  close(streamId: string): void {
    this.#open.delete(streamId)
  }
}
