export const MAX_EVENT_STREAMS = 10
/** A stream asks at least every 2.5 s, except while it waits for a slow reader. */
const STREAM_LEASE_MS = 15_000

/**
 * The event streams that are open, in memory: each asks again and again, and is closed if it stops doing so. After an
 * eviction of the object they are counted again as they ask.
 */
export class OpenStreams {
  readonly #openUntil = new Map<string, number>()

  /** Without the stream that asks, which a repeated call has opened already. */
  countOthers(streamId: string, now: number): number {
    for (const [id, until] of this.#openUntil) if (until <= now) this.#openUntil.delete(id)
    return this.#openUntil.size - (this.#openUntil.has(streamId) ? 1 : 0)
  }

  renew(streamId: string, now: number): void {
    this.#openUntil.set(streamId, now + STREAM_LEASE_MS)
  }

  close(streamId: string): void {
    this.#openUntil.delete(streamId)
  }
}
