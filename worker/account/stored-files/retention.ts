import { latest, positionOf } from '../../../domain/ids.ts'
import { RETENTION_DAYS } from '../../../domain/limits.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { firstRow } from '../../sqlite.ts'
import type { AccountRow } from '../account-row.ts'
import type { AccountRows } from '../account-rows.ts'

/**
 * The media of an import is stored as long as the deployment said when it was accepted. The account has a period for
 * each number of days that it has seen: the imports between two ids.
 */
export const keepRetention = ({ account, sql, terms }: AccountRows, importId: string): void => {
  const days = account.retention.at(-1)?.days ?? RETENTION_DAYS
  if (days === terms.retentionDays) return
  // Ids are made before imports are accepted, so one with a later id may have been accepted before.
  const newest = firstRow<{ id: string | null }>(
    sql,
    "SELECT max(id) AS id FROM jobs WHERE id >= 'imp_' AND id < 'imp_~'",
  )
  const last = newest?.id == null ? '' : `${positionOf(newest.id)}~`
  const from = latest(positionOf(importId), last)
  account.retention = [...account.retention, { from, days: terms.retentionDays }]
}

/** In the order of time, each until the next one. */
export const periodsOf = ({ retention }: AccountRow) =>
  [{ from: '', days: RETENTION_DAYS }, ...retention].map(({ from, days }, index) => ({
    fromId: `imp_${from}`,
    untilId: `imp_${retention[index]?.from ?? '~'}`,
    ms: days * DAY_MS,
  }))

export const retentionMs = (account: AccountRow, importId: string): number =>
  periodsOf(account).findLast(({ fromId }) => importId >= fromId)?.ms ?? RETENTION_DAYS * DAY_MS
