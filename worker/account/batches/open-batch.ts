import type { JobKind } from '../../../domain/jobs/job.ts'
import type { ItemAdmission } from '../calls.ts'

/** What the account's row has of batches that have not ended. */
export interface OpenBatch {
  id: string
  kind: JobKind
  /** The key that has started it. */
  keyId: string
  /** The index of the next item that gets a turn. */
  next: number
  /** How many items it has. 0 before a playlist is listed. */
  items: number
}

/**
 * A turn is the work for one message: to list a playlist, or to check the URL of an item. An item whose check is
 * done keeps its turn until a slot is free. Turns are in the account's row, which is written anyway when a job starts or
 * ends.
 *
 *   handed out ──claimed by the consumer──▶ checked ──a slot is free──▶ its job starts
 *        ▲  └──lost or not claimed──▶ sent again   └──refused──▶ the item has failed
 */
export interface Turn {
  batchId: string
  kind: JobKind
  /** The item's index. null: this turn lists the playlist. */
  index: number | null
  /** Only the first report under it counts. */
  lease: string
  /** When it was handed out. The time of a suspension does not count. */
  since: number
  /** It can be claimed from then on. */
  dueAt: number
  /** When its message is sent, and again until the work is done. */
  messageAt: number
  /** Listings that failed, or checks that failed by our fault. */
  attempts: number
  /** Absent: the check is not done. */
  admission?: ItemAdmission
}
