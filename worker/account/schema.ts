/**
 * The schema of an account's SQLite database. Times are milliseconds since 1970, amounts are whole
 * micro-dollars. Migrations are appended to `versions`; existing entries are never edited, because deployed
 * accounts have already run them.
 */
export const accountVersions = [
  `CREATE TABLE account (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     balance_micros INTEGER NOT NULL CHECK (balance_micros >= 0),
     held_micros INTEGER NOT NULL CHECK (held_micros >= 0 AND held_micros <= balance_micros)
   ) WITHOUT ROWID;

   CREATE TABLE keys (
     hash TEXT PRIMARY KEY,
     id TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     revoked_at INTEGER
   ) WITHOUT ROWID;

   CREATE TABLE windows (
     class TEXT PRIMARY KEY,
     started_at INTEGER NOT NULL,
     used INTEGER NOT NULL
   ) WITHOUT ROWID;

   CREATE TABLE jobs (
     id TEXT PRIMARY KEY,
     kind TEXT NOT NULL,
     state TEXT NOT NULL,
     request TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     started_at INTEGER,
     completed_at INTEGER,
     removed_at INTEGER,
     step TEXT,
     attempts INTEGER NOT NULL DEFAULT 0,
     lease TEXT,
     lease_until INTEGER,
     carry TEXT,
     result TEXT,
     failure TEXT
   ) WITHOUT ROWID;

   CREATE INDEX live_jobs ON jobs (kind) WHERE state IN ('queued', 'running');

   CREATE TABLE holds (
     job_id TEXT PRIMARY KEY,
     amount_micros INTEGER NOT NULL CHECK (amount_micros >= 0)
   ) WITHOUT ROWID;

   CREATE TABLE ledger (
     id TEXT PRIMARY KEY,
     kind TEXT NOT NULL CHECK (kind IN ('credit', 'hold', 'charge', 'release')),
     amount_micros INTEGER NOT NULL,
     job_id TEXT,
     reference TEXT,
     at INTEGER NOT NULL
   ) WITHOUT ROWID;

   CREATE UNIQUE INDEX credits_by_reference ON ledger (reference) WHERE reference IS NOT NULL;

   CREATE TABLE uploads (
     key TEXT PRIMARY KEY,
     job_id TEXT NOT NULL,
     upload_id TEXT,
     kept INTEGER NOT NULL DEFAULT 0
   ) WITHOUT ROWID;

   CREATE TABLE idempotency (
     key TEXT PRIMARY KEY,
     fingerprint TEXT NOT NULL,
     job_id TEXT,
     expires_at INTEGER NOT NULL
   ) WITHOUT ROWID;

   CREATE TABLE outbox (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     kind TEXT NOT NULL,
     body TEXT NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0,
     due_at INTEGER NOT NULL
   );

   CREATE TABLE schedule (
     kind TEXT NOT NULL,
     ref TEXT NOT NULL,
     at INTEGER NOT NULL,
     PRIMARY KEY (kind, ref)
   ) WITHOUT ROWID;

   CREATE INDEX schedule_by_time ON schedule (at);`,

  `CREATE TABLE webhook_secrets (
     seed TEXT PRIMARY KEY,
     created_at INTEGER NOT NULL,
     expires_at INTEGER
   ) WITHOUT ROWID;

   CREATE TABLE deliveries (
     id TEXT PRIMARY KEY,
     type TEXT NOT NULL,
     job_id TEXT,
     url TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
     attempts INTEGER NOT NULL DEFAULT 0,
     created_at INTEGER NOT NULL,
     attempted_at INTEGER,
     next_at INTEGER,
     lease TEXT,
     lease_until INTEGER,
     status INTEGER,
     answer TEXT,
     mishap TEXT
   ) WITHOUT ROWID;

   CREATE INDEX failed_deliveries ON deliveries (id) WHERE state = 'failed' AND job_id IS NOT NULL;`,

  `CREATE TABLE copies (
     job_id TEXT PRIMARY KEY,
     note TEXT,
     tries INTEGER NOT NULL DEFAULT 0,
     retry_at INTEGER NOT NULL DEFAULT 0
   ) WITHOUT ROWID;`,

  `CREATE TABLE sealed_keys (
     job_id TEXT PRIMARY KEY,
     sealed TEXT NOT NULL
   ) WITHOUT ROWID;`,

  `ALTER TABLE jobs ADD COLUMN lease_number INTEGER NOT NULL DEFAULT 0;
   UPDATE jobs SET lease_number = attempts;

   ALTER TABLE deliveries RENAME COLUMN answer TO response_body;
   ALTER TABLE deliveries RENAME COLUMN mishap TO attempt_error;`,

  // What a live job needs is in its own row, and what counts all jobs is in the account's row: each act writes both once.
  `ALTER TABLE jobs ADD COLUMN held_micros INTEGER CHECK (held_micros >= 0);
   ALTER TABLE jobs ADD COLUMN step_due_at INTEGER;
   ALTER TABLE jobs ADD COLUMN disk_bytes INTEGER;
   ALTER TABLE jobs ADD COLUMN recorded INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE jobs ADD COLUMN uploads TEXT;
   ALTER TABLE account ADD COLUMN open_jobs TEXT NOT NULL DEFAULT '[]';
   ALTER TABLE account ADD COLUMN rate_windows TEXT NOT NULL DEFAULT '{}';
   ALTER TABLE account ADD COLUMN sweep_at INTEGER;

   UPDATE jobs SET held_micros = (SELECT amount_micros FROM holds WHERE job_id = id);
   UPDATE jobs SET recorded = 1 WHERE 'record' NOT IN (SELECT kind FROM outbox WHERE body ->> 'jobId' = id);
   UPDATE jobs SET step_due_at =
       CASE WHEN 'step' IN (SELECT kind FROM outbox WHERE body ->> 'jobId' = id) THEN 0
       ELSE (SELECT at FROM schedule WHERE kind = 'resend' AND ref = id) END
     WHERE state IN ('queued', 'running') AND lease IS NULL;
   UPDATE jobs SET uploads = (SELECT json_group_array(json_object('key', key, 'uploadId', upload_id,
       'isKept', json(iif(kept, 'true', 'false')))) FROM uploads WHERE job_id = id)
     WHERE id IN (SELECT job_id FROM uploads);
   UPDATE account SET
     open_jobs = (SELECT json_group_array(id) FROM jobs WHERE state IN ('queued', 'running') OR recorded = 0),
     rate_windows = (SELECT json_group_object(class, json_object('startedAt', started_at, 'used', used)) FROM windows),
     sweep_at = (SELECT 0 FROM jobs LIMIT 1);

   DELETE FROM outbox WHERE kind = 'record' OR body ->> 'jobId' IN (SELECT id FROM jobs WHERE step IS NOT NULL);
   UPDATE outbox SET kind = 'cleanup', body = json_object('kind', 'cleanup', 'jobId', body ->> 'jobId')
     WHERE kind = 'step';
   UPDATE outbox SET body = json_object('kind', 'discard', 'objects', json_array(
       json_object('key', body ->> 'key', 'uploadId', body ->> 'uploadId'))) WHERE kind = 'discard';
   DELETE FROM schedule WHERE kind IN ('lease', 'resend', 'deadline', 'expire');
   DROP INDEX live_jobs;
   DROP TABLE holds;
   DROP TABLE uploads;
   DROP TABLE windows;

   CREATE TABLE credit_references (
     reference TEXT PRIMARY KEY,
     amount_micros INTEGER NOT NULL
   ) WITHOUT ROWID;`,

  // What operators set, and when the account was last used. `limits`: JSON of those that differ from the defaults.
  `ALTER TABLE account ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE account ADD COLUMN limits TEXT NOT NULL DEFAULT '{}';
   ALTER TABLE account ADD COLUMN last_used_at INTEGER;`,

  // What operators count, in rows that are written anyway: see domain/metrics/ and jobs/measured.ts. Both are JSON.
  `ALTER TABLE account ADD COLUMN totals TEXT;
   ALTER TABLE jobs ADD COLUMN measured TEXT;`,

  `ALTER TABLE jobs ADD COLUMN origin TEXT;`,

  // A hash of the request, and whether a start was answered with an earlier job: see entry/reuse.ts.
  `ALTER TABLE jobs ADD COLUMN reuse_key TEXT;
   ALTER TABLE idempotency ADD COLUMN reused INTEGER NOT NULL DEFAULT 0;`,

  // Files that callers send: see uploads/. `multipart_id` is of the attempt, in R2.
  `CREATE TABLE uploads (
     id TEXT PRIMARY KEY,
     state TEXT NOT NULL CHECK (state IN ('pending', 'ready', 'removed')),
     filename TEXT NOT NULL,
     size_bytes INTEGER NOT NULL,
     content_type TEXT,
     duration_seconds REAL,
     attempt INTEGER NOT NULL,
     multipart_id TEXT,
     created_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) WITHOUT ROWID;

   CREATE INDEX pending_uploads ON uploads (expires_at) WHERE state = 'pending';`,

  // Batches: see batches/. The account's row has those that have not ended, and whose turn it is, both as JSON. An item that
  // has started is `waiting` in its row until it ends; its job says how it stands.
  `CREATE TABLE batches (
     id TEXT PRIMARY KEY,
     kind TEXT NOT NULL,
     state TEXT NOT NULL,
     request TEXT NOT NULL,
     title TEXT,
     created_at INTEGER NOT NULL,
     completed_at INTEGER,
     total INTEGER,
     completed INTEGER NOT NULL DEFAULT 0,
     failed INTEGER NOT NULL DEFAULT 0,
     skipped INTEGER NOT NULL DEFAULT 0,
     cost_micros INTEGER NOT NULL DEFAULT 0,
     failure TEXT
   ) WITHOUT ROWID;

   CREATE TABLE batch_items (
     batch_id TEXT NOT NULL,
     item INTEGER NOT NULL,
     url TEXT NOT NULL,
     title TEXT,
     state TEXT NOT NULL DEFAULT 'waiting',
     job_id TEXT,
     code TEXT,
     message TEXT,
     retryable INTEGER,
     cost_micros INTEGER,
     PRIMARY KEY (batch_id, item)
   ) WITHOUT ROWID;

   ALTER TABLE account ADD COLUMN open_batches TEXT NOT NULL DEFAULT '[]';
   ALTER TABLE account ADD COLUMN batch_turns TEXT NOT NULL DEFAULT '[]';
   ALTER TABLE jobs ADD COLUMN batch_id TEXT;
   ALTER TABLE jobs ADD COLUMN batch_item INTEGER;`,

  // The numbers of events, in rows that are written anyway: see events/event-log.ts. Earlier starts and ends have none.
  `ALTER TABLE jobs ADD COLUMN started_event INTEGER;
   ALTER TABLE jobs ADD COLUMN ended_event INTEGER;
   ALTER TABLE batches ADD COLUMN ended_event INTEGER;
   ALTER TABLE account ADD COLUMN last_event INTEGER;`,

  // Work without a charge that counts against its budget, as JSON: see entry/free-work.ts.
  `ALTER TABLE account ADD COLUMN free_work TEXT;`,

  // One table of what is due, instead of messages and tasks: see due/. A delivery and a cleanup have one row each.
  `CREATE TABLE due (
     kind TEXT NOT NULL,
     ref TEXT NOT NULL,
     at INTEGER NOT NULL,
     body TEXT,
     failures INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (kind, ref)
   ) WITHOUT ROWID;

   CREATE INDEX due_by_time ON due (at);

   INSERT INTO due (kind, ref, at) SELECT kind, ref, at FROM schedule;
   INSERT OR REPLACE INTO due (kind, ref, at)
     SELECT kind, coalesce(body ->> 'deliveryId', body ->> 'jobId'), due_at FROM outbox
      WHERE kind IN ('delivery', 'cleanup');
   INSERT INTO due (kind, ref, at, body, failures)
     SELECT iif(kind IN ('discard', 'withhold'), 'media', 'lists'), printf('%015d', seq), due_at, body, attempts
       FROM outbox WHERE kind IN ('discard', 'withhold', 'account', 'trim');
   DROP TABLE outbox;
   DROP TABLE schedule;`,

  // Deliveries whose first attempt has not ended, in a row that is written anyway: see webhooks/. JSON.
  `ALTER TABLE account ADD COLUMN new_deliveries TEXT NOT NULL DEFAULT '[]';`,

  // Accounts that were founded before D1 forgot their first key and credit tell it now: see entry/account-founding.ts.
  `INSERT INTO due (kind, ref, at, body)
     SELECT 'lists', printf('%015d', coalesce((SELECT max(ref) FROM due WHERE kind = 'lists'), 0) + 1), 0, '{"kind":"account"}'
       FROM account;`,

  // A part of the object's key that nobody can guess. Earlier attempts have none.
  `ALTER TABLE uploads ADD COLUMN key_secret TEXT;`,

  // The request that a key is reserved for, so that its repeated call does not find the key taken.
  `ALTER TABLE idempotency ADD COLUMN request_id TEXT;`,

  // The transcripts and chapters that a feed names beside an item, as JSON. Most items have none.
  `ALTER TABLE batch_items ADD COLUMN linked TEXT;`,

  // What operators set, as JSON: an account's own prices, and how long the media of its imports is stored. Jobs have the prices
  // that they were accepted with. NULL: the usual ones.
  `ALTER TABLE account ADD COLUMN prices TEXT;
   ALTER TABLE account ADD COLUMN retention TEXT;
   ALTER TABLE jobs ADD COLUMN prices TEXT;`,

  // Keys that callers make: see keys/. `scopes` and `origins` are JSON; NULL stands for all scopes and no origin. What keys have
  // spent and when they were used is in the account's row, as JSON by their ids, because it is written anyway. What keys have
  // made names them.
  `ALTER TABLE keys ADD COLUMN prefix TEXT;
   ALTER TABLE keys ADD COLUMN made_by TEXT;
   ALTER TABLE keys ADD COLUMN name TEXT;
   ALTER TABLE keys ADD COLUMN scopes TEXT;
   ALTER TABLE keys ADD COLUMN budget_micros INTEGER;
   ALTER TABLE keys ADD COLUMN expires_at INTEGER;
   ALTER TABLE keys ADD COLUMN origins TEXT;
   ALTER TABLE account ADD COLUMN key_spending TEXT;
   ALTER TABLE account ADD COLUMN key_origins TEXT;
   ALTER TABLE account ADD COLUMN key_uses TEXT;
   ALTER TABLE jobs ADD COLUMN key_id TEXT;
   ALTER TABLE ledger ADD COLUMN key_id TEXT;
   ALTER TABLE uploads ADD COLUMN key_id TEXT;`,

  // What callers note on a job, as JSON. Most jobs have none. Those of a batch are in its request.
  `ALTER TABLE jobs ADD COLUMN metadata TEXT;`,
]
