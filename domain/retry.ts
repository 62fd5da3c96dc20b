/** When to try again: the two rules that every retry in both programs follows. */
export interface Backoff {
  firstMs: number
  longestMs: number
}

/** Doubles with each failed attempt, up to a limit. `attempt` counts from 1. */
export const backoffMs = (attempt: number, { firstMs, longestMs }: Backoff): number =>
  Math.min(longestMs, firstMs * 2 ** (Math.max(1, attempt) - 1))

/** RFC 9110, section 10.2.3: whole seconds, or a date in one of three formats, all of which start with a day's name. */
export const retryAfterMs = (header: string | null, now: number): number | null => {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000
  const at = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
