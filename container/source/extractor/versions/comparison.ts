import type { FailureCode } from '../../../../domain/codes/failures.ts'

/** How extraction ended at the hosts that one version of yt-dlp was asked for. */
export type HostCounts = ReadonlyMap<string, Counts>

export interface Counts {
  ended: number
  /** With a failure that another version of yt-dlp might not have. */
  failed: number
}

/** The ones that were used longest ago are forgotten. */
const MAX_HOSTS = 1_000

/** These say something about the media, the caller or the network, whichever version of yt-dlp is told of it. */
const notOfVersion: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'SOURCE_UNREACHABLE',
  'SOURCE_PRIVATE',
  'SOURCE_AGE_RESTRICTED',
  'SOURCE_REGION_BLOCKED',
  'SOURCE_LIVE',
  'SOURCE_DRM',
  'CANCELED',
])

/** `code` null: something was extracted. */
export const countEnd = (counts: Map<string, Counts>, host: string, code: FailureCode | null): void => {
  const { ended, failed } = counts.get(host) ?? { ended: 0, failed: 0 }
  counts.delete(host)
  counts.set(host, { ended: ended + 1, failed: failed + (code === null || notOfVersion.has(code) ? 0 : 1) })
  for (const oldest of counts.keys()) {
    if (counts.size <= MAX_HOSTS) break
    counts.delete(oldest)
  }
}

/** Fewer may be chance. */
const LEAST_FAILURES = 5

/**
 * Whether a version fails twice as often as the one before it, in hosts that both were asked for. What would be expected
 * is the rate of the version before, host by host: a host that always failed says nothing. One failure and one success are
 * added to each host's past, so that a host that was asked for once does not count as one that never fails.
 */
export const failsTwiceAsOften = (before: HostCounts, now: HostCounts): boolean => {
  let failed = 0
  let expected = 0
  for (const [host, counts] of now) {
    const past = before.get(host)
    if (!past) continue
    failed += counts.failed
    expected += (counts.ended * (past.failed + 1)) / (past.ended + 2)
  }
  return failed >= LEAST_FAILURES && failed >= 2 * expected
}
