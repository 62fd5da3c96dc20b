import { newId } from '../../../domain/ids.ts'
import { zero } from '../../../domain/money/money.ts'
import type { AccountRows } from '../account-rows.ts'
import type { IdempotencyKey } from '../calls.ts'
import { keepSealedKey } from '../jobs/job-rows.ts'
import { saveIdempotency } from '../starts/answers.ts'
import type { BatchRow } from './batch-rows.ts'
import { addItems, type NewItem } from './item-rows.ts'
import { startItems } from './start-items.ts'

interface NewBatch extends Pick<BatchRow, 'kind' | 'request' | 'title'> {
  id?: string | undefined
  /** null: a playlist, which is to be listed. */
  items: NewItem[] | null
  sealedKey?: string | null
  idempotency?: IdempotencyKey | null
}

export const addBatch = (
  rows: AccountRows,
  { id: given, kind, request, title, items, sealedKey, idempotency }: NewBatch,
  now: number,
): BatchRow => {
  const { account, sql } = rows
  const id = given ?? newId('batch', now)
  const counts = { total: items?.length ?? null, completed: 0, failed: 0, skipped: 0, cost: zero }
  const begin = { state: 'queued', createdAt: now, completedAt: null, failure: null } as const
  const batch = { id, kind, request, title, ...counts, ...begin }
  rows.batches.add(batch)
  addItems(sql, id, items ?? [])
  const open = { id, kind, keyId: request.keyId, next: 0, items: items?.length ?? 0 }
  account.openBatches = [...account.openBatches, open]
  if (sealedKey) keepSealedKey(sql, id, sealedKey)
  if (idempotency) saveIdempotency(sql, idempotency, { jobId: id, isReused: false }, now)
  startItems(rows, now)
  return batch
}
