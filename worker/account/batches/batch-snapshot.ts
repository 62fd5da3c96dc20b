import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { AccountRows } from '../account-rows.ts'
import type { BatchSnapshot } from '../calls.ts'
import { type ApiKey, maySee } from '../keys/key-rows.ts'
import { asBatch, readBatchRow } from './batch-rows.ts'
import { liveItems } from './live-items.ts'

/** The batch as this key sees it. */
export const batchSnapshot = (rows: AccountRows, key: ApiKey, batchId: string): Result<BatchSnapshot> => {
  const found = readBatchRow(rows.sql, batchId)
  if (!found || !maySee(key, found.request)) return batchNotFound()
  const batch = asBatch(found, found.completedAt === null ? liveItems(rows, batchId).length : 0)
  return accepted({ batch, version: rows.progress.versionOf(batchId) })
}

export const batchNotFound = (): Result<never> => refused('NOT_FOUND', {}, 'Batch not found.')
