/**
 * Keys that were last refused for what no source can change: not live (401), over a limit (429). A source is
 * looked at before the account is asked, so that a start costs one call; but for whoever was just refused the
 * account is asked first, or the refused could have us knock at doors for nothing. Known to this isolate
 * alone, which is enough to make it rare.
 */
const refused = new Set<string>()

/** The oldest are forgotten first: each is worth one look at a source, no more. */
const MAX_KEYS = 10_000

export const wasRefused = (keyHash: string): boolean => refused.has(keyHash)

/** Takes note of how a start was answered. */
export const note = (keyHash: string, status: number): void => {
  refused.delete(keyHash)
  if (status !== 401 && status !== 429) return
  refused.add(keyHash)
  const [oldest] = refused
  if (refused.size > MAX_KEYS && oldest) refused.delete(oldest)
}
