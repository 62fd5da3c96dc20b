import { logEvent } from '../../log.ts'
import { migrate, schemaVersion } from '../../sqlite.ts'
import { accountVersions } from '../schema.ts'

/**
 * Migrates an account that an earlier version of the Worker has left. Calls and alarms wait for it. If it fails, nothing has
 * changed, and the runtime resets the object: the next call tries it again.
 *
 * The bookmark is in the log and in the table of versions. Cloudflare can restore the object to it for 30 days.
 */
export const migrateAccount = async (ctx: DurableObjectState, sql: SqlStorage): Promise<void> => {
  const from = schemaVersion(sql)
  const to = accountVersions.length
  const fields = { accountId: ctx.id.name, from, to }
  if (from > to) logEvent('account.schema_is_newer', fields, 'warn')
  if (from >= to) return
  const migrating = ctx.blockConcurrencyWhile(async () => {
    const bookmark = await bookmarkOf(ctx.storage)
    try {
      ctx.storage.transactionSync(() => migrate(sql, accountVersions, bookmark))
    } catch (cause) {
      logEvent('account.migration_failed', { ...fields, bookmark, error: `${cause}` }, 'error')
      throw cause
    }
    logEvent('account.migrated', { ...fields, bookmark })
  })
  // The calls that wait get the error.
  await migrating.catch(() => {})
}

/** null: this storage has no point-in-time recovery, for example on one's own server. */
const bookmarkOf = async (storage: DurableObjectStorage): Promise<string | null> => {
  try {
    return await storage.getCurrentBookmark()
  } catch {
    return null
  }
}
