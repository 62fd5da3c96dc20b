const MOST_READ_BYTES = 64 * 1024
const KEPT_BYTES = 1024

/**
 * The first KiB of what a receiver answered. A little more is read and thrown away, so that the connection
 * can serve again; an answer without an end is left alone. One that breaks off counts as far as it came.
 */
export const headOf = async ({ body }: Response): Promise<string> => {
  const kept = new Uint8Array(KEPT_BYTES)
  let size = 0
  try {
    for await (const chunk of body ?? []) {
      if (size < KEPT_BYTES) kept.set(chunk.subarray(0, KEPT_BYTES - size), size)
      size += chunk.byteLength
      if (size >= MOST_READ_BYTES) break
    }
  } catch {
    // The status has been said; that its explanation broke off changes nothing.
  }
  return decode(kept.subarray(0, Math.min(size, KEPT_BYTES)))
}

/** `stream` leaves out a character that the cut went through. */
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true })
