import { setTimeout as sleep } from 'node:timers/promises'
import type { FailureCode } from '../../../worker/domain/codes/failures.ts'
import { SourceFailure } from '../failure.ts'

/** How long a downloader puts up with an origin. */
export interface Patience {
  /** Without a byte for so long, a connection counts as cut. */
  idleMs: number
  /** Failures in a row, without progress worth the name between them, before it gives up. */
  attempts: number
  /** Pause before the next try, after so many failures. */
  backoffMs(failures: number): number
}

export const usualPatience: Patience = {
  idleMs: 15_000,
  attempts: 5,
  // Half to all of 0.5, 1, 2, 4, 8 s: many jobs cut by one origin do not come back in step.
  backoffMs: (failures) => Math.min(500 * 2 ** (failures - 1), 8_000) * (0.5 + Math.random() / 2),
}

/** A failure that may pass: the next try may go better. Its code is what the job gets when none does. */
export class Interrupted extends SourceFailure {
  /** What the origin asked for by Retry-After. */
  readonly waitMs: number | null
  /** The origin has too many requests, perhaps ours: fewer at a time may do. */
  readonly crowded: boolean
  constructor(code: FailureCode, options: ErrorOptions & { waitMs?: number | null; crowded?: boolean } = {}) {
    super(code, undefined, options)
    this.waitMs = options.waitMs ?? null
    this.crowded = options.crowded ?? false
  }
}

/** Progress that earns new attempts. Less is an origin that cuts each connection after a few bytes. */
const worthwhileBytes = 65_536

/** Counts failures of one reader and waits between them; throws the failure when there were enough. */
export function createRetrying({ attempts, backoffMs }: Patience, signal: AbortSignal) {
  let failures = 0
  let lastAt = 0
  return async (failure: Interrupted, at: number): Promise<void> => {
    if (at - lastAt >= worthwhileBytes) failures = 0
    lastAt = at
    failures += 1
    if (failures >= attempts) throw failure
    await sleep(failure.waitMs ?? backoffMs(failures), undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}
