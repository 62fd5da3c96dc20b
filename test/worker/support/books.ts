/** What must hold between the tables of an account after every act. The simulation checks it. */
export type BookFaults = Record<string, number>

/** SQLite of an object. */
interface Sql {
  exec<T extends Record<string, string | number | null>>(
    query: string,
    ...values: number[]
  ): { one(): T; toArray(): T[] }
}

/**
 * Each is 0 if the books are right. forgotten: live jobs that the alarm would not look at. above_ceiling: jobs that were
 * charged more than their caller's ceiling allows. stray_keys: provider keys that outlived their job. uncounted, unnumbered:
 * ended jobs that the account's totals lack, or that have no number of their own. missing_charges: what the totals lack.
 */
export const bookFaults = (sql: Sql): BookFaults =>
  sql
    .exec<BookFaults>(
      `WITH ends AS (SELECT * FROM jobs WHERE state IN ('completed', 'failed')),
         live AS (SELECT * FROM jobs WHERE state IN ('queued', 'running')),
         charges AS (SELECT * FROM ledger WHERE kind = 'charge')
       SELECT
         balance_micros - (SELECT coalesce(sum(amount_micros), 0) FROM ledger WHERE kind IN ('credit', 'charge'))
           AS unbalanced,
         held_micros - (SELECT coalesce(sum(held_micros), 0) FROM jobs) AS misheld,
         balance_micros - held_micros - (SELECT coalesce(sum(amount_micros), 0) FROM ledger WHERE kind != 'charge')
           AS misavailable,
         max(0, held_micros - balance_micros) AS overdrawn,
         (SELECT count(*) FROM ends WHERE held_micros IS NOT NULL) AS orphaned,
         (SELECT count(*) FROM live WHERE held_micros IS NULL) AS unheld,
         (SELECT count(*) FROM live WHERE id NOT IN (SELECT ref FROM due WHERE kind IN ('step', 'limit'))) AS forgotten,
         (SELECT count(*) FROM (SELECT job_id FROM charges GROUP BY job_id HAVING count(*) > 1)) AS doubled,
         (SELECT count(*) FROM (SELECT job_id FROM ledger WHERE job_id IS NOT NULL GROUP BY job_id
            HAVING -sum(iif(kind = 'charge', amount_micros, 0)) > -sum(iif(kind = 'hold', amount_micros, 0)))) AS overcharged,
         (SELECT count(*) FROM charges JOIN jobs ON jobs.id = job_id WHERE
            (request ->> 'provider' = 'builtin' OR jobs.kind = 'import') AND -amount_micros > request ->> 'maxCostMicros')
            AS above_ceiling,
         (SELECT count(*) FROM sealed_keys JOIN ends ON id = job_id) AS stray_keys,
         (SELECT count(*) FROM ends) - coalesce(totals ->> 'ends', 0) AS uncounted,
         (SELECT count(*) - count(DISTINCT measured ->> 'endNumber') FROM ends) AS unnumbered,
         (SELECT coalesce(sum(-amount_micros), 0) FROM charges) - coalesce(totals ->> 'chargedMicros', 0)
           AS missing_charges
       FROM account`,
    )
    .one()

/** Each is the number of rows that are not as they have to be. */
export const batchFaults = (sql: Sql): BookFaults =>
  sql
    .exec<BookFaults>(
      `WITH live AS (SELECT * FROM jobs WHERE state IN ('queued', 'running')),
         ended AS (SELECT batch_id, sum(state = 'completed') AS completed, sum(state = 'failed') AS failed,
             sum(state IN ('skipped', 'canceled')) AS skipped, sum(coalesce(cost_micros, 0)) AS cost, count(*) AS total
           FROM batch_items GROUP BY batch_id)
       SELECT
         (SELECT count(*) FROM batches LEFT JOIN ended ON batch_id = id WHERE batches.total IS NOT NULL AND
            (batches.completed, batches.failed, batches.skipped, batches.cost_micros, batches.total) IS NOT
              (coalesce(ended.completed, 0), coalesce(ended.failed, 0), coalesce(ended.skipped, 0), coalesce(cost, 0),
               coalesce(ended.total, 0))) AS miscounted,
         (SELECT count(*) FROM batches WHERE cost_micros + (SELECT coalesce(sum(held_micros), 0) FROM live
            WHERE batch_id = batches.id) > request ->> 'maxCostMicros' AND request ->> 'watchId' IS NULL) AS above_ceiling,
         (SELECT count(*) FROM batches WHERE cost_micros IS NOT (SELECT coalesce(sum(-amount_micros), 0) FROM ledger
            JOIN jobs ON jobs.id = job_id WHERE ledger.kind = 'charge' AND batch_id = batches.id)) AS mischarged,
         (SELECT count(*) FROM batch_items AS items JOIN jobs ON jobs.batch_id = items.batch_id AND batch_item = item
            WHERE jobs.state = 'completed' AND items.complete IS NOT
              (NOT EXISTS (SELECT 1 FROM json_each(parts) WHERE value ->> 'state' = 'failed'))) AS misjudged,
         (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE batch_id IS NOT NULL GROUP BY batch_id, batch_item
            HAVING count(*) > 1)) AS doubled,
         (SELECT count(*) FROM live JOIN batches ON batches.id = batch_id WHERE batches.completed_at IS NOT NULL) AS outlived,
         (SELECT count(*) FROM batches WHERE (completed_at IS NULL) IS NOT (state IN ('queued', 'running'))) AS misstated,
         (SELECT count(*) FROM batches WHERE (completed_at IS NULL) IS NOT
            (id IN (SELECT value ->> 'id' FROM account, json_each(open_batches)))) AS misfiled,
         (SELECT count(*) FROM account, json_each(batch_turns) WHERE value ->> 'batchId' IN
            (SELECT id FROM batches WHERE completed_at IS NOT NULL)) AS stray_turns,
         (SELECT count(*) FROM account WHERE suspended = 0 AND NOT EXISTS (SELECT 1 FROM due WHERE kind = 'turns') AND
            EXISTS (SELECT 1 FROM json_each(batch_turns) WHERE value ->> 'admission' IS NULL)) AS forgotten_turns,
         (SELECT count(*) FROM batches WHERE (completed_at IS NOT NULL AND request ->> 'webhookUrl' IS NOT NULL) IS NOT
            ((SELECT count(*) FROM deliveries WHERE job_id = batches.id AND type = 'batch.' || batches.state) = 1)) AS mistold,
         (SELECT count(*) FROM deliveries WHERE type LIKE 'batch.%') -
            (SELECT count(*) FROM batches WHERE completed_at IS NOT NULL AND request ->> 'webhookUrl' IS NOT NULL)
            AS told_twice,
         (SELECT count(*) FROM sealed_keys JOIN batches ON id = job_id WHERE completed_at IS NOT NULL) AS stray_keys,
         (SELECT held_micros - (SELECT coalesce(sum(held_micros), 0) FROM jobs) FROM account) AS misheld`,
    )
    .one()

/** What has happened to jobs and batches since then, in no order, as their own rows tell it. */
export const eventsInTables = (sql: Sql, since: number): { type: string; subject: string }[] =>
  sql
    .exec<{ type: string; subject: string }>(
      `SELECT 'job.started' AS type, id AS subject FROM jobs WHERE started_at >= ?1
         UNION ALL SELECT kind || '.' || state, id FROM jobs WHERE completed_at >= ?1
         UNION ALL SELECT 'batch.' || state, id FROM batches WHERE completed_at >= ?1`,
      since,
    )
    .toArray()
