import type { Context } from 'hono'
import type { HttpEnv } from './request-context.ts'

/** As much as the body of a request may have on Cloudflare. */
const MOST_BYTES = 100_000_000
/** A client that sends nothing for so long may be waiting for the response. */
const SILENCE_MS = 1_000

/**
 * Reads what a refusal has left of its request's body. A proxy may lose a response that comes while the body still arrives: its
 * client then sees a closed connection, and not the reason.
 */
export const readRest = async (c: Context<HttpEnv>): Promise<void> => {
  const { body } = c.req.raw
  if (c.res.status < 400 || !body || body.locked) return
  const reader = body.getReader()
  try {
    for (let left = MOST_BYTES; left > 0; ) {
      const chunk = await readSoon(reader)
      if (!chunk) return
      left -= chunk.byteLength
    }
  } catch {
    // The client has gone.
  }
}

/** null: the body has ended, or nothing arrives. */
const readSoon = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> => {
  const read = new AbortController()
  const silence = scheduler.wait(SILENCE_MS, { signal: read.signal }).catch(() => {})
  const arrived = await Promise.race([reader.read(), silence])
  read.abort()
  return arrived?.value ?? null
}
