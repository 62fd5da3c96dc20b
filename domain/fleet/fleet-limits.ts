import type { Backoff } from '../retry.ts'

/** An idle engine costs its memory, and the next step pays a cold start of a few seconds. */
export const IDLE_MS = 45_000

/** A state that was on its way when a place was freed still lists it, and must not bring it back. At least so long. */
export const REMEMBER_FREED_MS = 60_000

/** States do not list a `GET /metadata`. It takes 20 s at most, so its place is lost after this. */
export const PROBE_PLACE_MS = 30_000
/** The listing of a playlist takes two minutes at most, so its place is lost after this. */
export const LIST_PLACE_MS = 130_000
/** One account must not keep an engine busy with requests that are free. */
export const MAX_PROBES_OF_ACCOUNT = 2
/** A longer line would not get through in the 20 s that a `GET /metadata` has. */
export const MAX_PROBES_WAITING = 64
export const MAX_PROBES_WAITING_OF_ACCOUNT = 8

/** A step without disk space lets others pass for this long. Then an engine is kept for it. Most steps end sooner. */
export const KEEP_DISK_AFTER_MS = 30_000
/** Engines that are kept for large steps: at most one of so many, but always one. */
export const ENGINES_FOR_ONE_KEPT = 8

/** An engine that starts counts for the line this long. One that needs minutes fetches its image, or is stuck. */
export const SLOW_START_MS = 60_000
/** New engines of a fleet in any second. The platform refuses "too many containers per second", and does not say how many. */
export const MAX_STARTS_PER_SECOND = 5
/** The platform has no instance left. Others give theirs back within minutes. */
export const FULL_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 60_000 }
/** An engine that does not start, cannot isolate its steps, or has ended by itself. */
export const FAILED_BACKOFF: Backoff = { firstMs: 2_000, longestMs: 60_000 }
/** An engine that others start is asked sooner: it costs one request, and the engine should be used soon. */
export const ELSEWHERE_BACKOFF: Backoff = { firstMs: 2_000, longestMs: 15_000 }
