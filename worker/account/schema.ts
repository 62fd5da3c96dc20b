/**
 * The schema of an account's SQLite database. Times are milliseconds since 1970, amounts are whole micro-dollars. After the
 * first deployment it is changed by appending versions, never by editing those that accounts have run: see docs/operating.md.
 */
export const accountVersions = [
  `CREATE TABLE account (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     balance_micros INTEGER NOT NULL CHECK (balance_micros >= 0),
     held_micros INTEGER NOT NULL CHECK (held_micros >= 0 AND held_micros <= balance_micros),
     -- What operators set. limits and prices: JSON of what differs from the deployment's. retention: see stored-files/retention.ts.
     suspended INTEGER NOT NULL DEFAULT 0,
     limits TEXT NOT NULL DEFAULT '{}',
     prices TEXT,
     retention TEXT,
     -- What requests count: see requests/counted-use.ts. JSON, by pools and ids of keys.
     rate_windows TEXT NOT NULL DEFAULT '{}',
     free_work TEXT,
     key_uses TEXT,
     last_used_at INTEGER,
     -- What jobs of keys were charged this month, and the web origins of live keys. JSON.
     key_spending TEXT,
     key_origins TEXT,
     -- Batches that have not ended, and whose turn it is: see account-row.ts. JSON.
     open_batches TEXT NOT NULL DEFAULT '[]',
     batch_turns TEXT NOT NULL DEFAULT '[]',
     -- When watches were polled: see watches/polls.ts. JSON by their ids.
     polls TEXT,
     -- What is known of the index of words: see search/. JSON.
     search TEXT,
     swept_at INTEGER NOT NULL DEFAULT 0,
     -- What operators count: see domain/metrics/. JSON.
     totals TEXT
   ) WITHOUT ROWID;

   -- scopes and origins: JSON. NULL stands for all scopes and no origin.
   CREATE TABLE keys (
     hash TEXT PRIMARY KEY,
     id TEXT NOT NULL,
     prefix TEXT,
     created_at INTEGER NOT NULL,
     revoked_at INTEGER,
     name TEXT,
     scopes TEXT,
     budget_micros INTEGER,
     expires_at INTEGER,
     origins TEXT
   ) WITHOUT ROWID;

   CREATE TABLE jobs (
     id TEXT PRIMARY KEY,
     kind TEXT NOT NULL,
     state TEXT NOT NULL,
     request TEXT NOT NULL,
     origin TEXT,
     created_at INTEGER NOT NULL,
     started_at INTEGER,
     completed_at INTEGER,
     removed_at INTEGER,
     step TEXT,
     attempts INTEGER NOT NULL DEFAULT 0,
     lease_number INTEGER NOT NULL DEFAULT 0,
     lease TEXT,
     lease_until INTEGER,
     held_micros INTEGER CHECK (held_micros >= 0),
     prices TEXT,
     disk_bytes INTEGER,
     uploads TEXT,
     carry TEXT,
     result TEXT,
     -- What a job has made beside its media: see domain/jobs/parts.ts.
     parts TEXT,
     bucket_key TEXT,
     failure TEXT,
     measured TEXT,
     reuse_key TEXT,
     key_id TEXT,
     batch_id TEXT,
     batch_item INTEGER,
     metadata TEXT
   ) WITHOUT ROWID;

   CREATE TABLE ledger (
     id TEXT PRIMARY KEY,
     kind TEXT NOT NULL CHECK (kind IN ('credit', 'hold', 'charge', 'release')),
     amount_micros INTEGER NOT NULL,
     job_id TEXT,
     key_id TEXT,
     reference TEXT,
     at INTEGER NOT NULL
   ) WITHOUT ROWID;

   CREATE UNIQUE INDEX credits_by_reference ON ledger (reference) WHERE reference IS NOT NULL;

   CREATE TABLE credit_references (
     reference TEXT PRIMARY KEY,
     amount_micros INTEGER NOT NULL
   ) WITHOUT ROWID;

   -- What repeated requests are answered with: see starts/answers.ts. started_id: of a job or a batch.
   CREATE TABLE starts (
     key TEXT PRIMARY KEY,
     fingerprint TEXT NOT NULL,
     started_id TEXT,
     reused INTEGER NOT NULL DEFAULT 0,
     request_id TEXT,
     expires_at INTEGER NOT NULL
   ) WITHOUT ROWID;

   CREATE TABLE due (
     ref TEXT PRIMARY KEY,
     kind TEXT NOT NULL,
     at INTEGER NOT NULL,
     body TEXT,
     attempts INTEGER NOT NULL DEFAULT 0
   ) WITHOUT ROWID;

   CREATE INDEX due_by_time ON due (at);

   -- What has happened: see events/. A day of it. data: JSON of what is told, if it is not read from the subject's row.
   CREATE TABLE events (
     number INTEGER PRIMARY KEY,
     type TEXT NOT NULL,
     subject_id TEXT NOT NULL,
     data TEXT
   );

   -- Files that callers send: see uploads/. multipart_id is of the attempt, in R2; key_secret is a part of the object's key.
   CREATE TABLE uploads (
     id TEXT PRIMARY KEY,
     state TEXT NOT NULL CHECK (state IN ('pending', 'ready', 'removed')),
     filename TEXT NOT NULL,
     size_bytes INTEGER NOT NULL,
     content_type TEXT,
     duration_seconds REAL,
     attempt INTEGER NOT NULL,
     multipart_id TEXT,
     key_secret TEXT NOT NULL,
     key_id TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) WITHOUT ROWID;

   CREATE INDEX pending_uploads ON uploads (expires_at) WHERE state = 'pending';

   CREATE TABLE batches (
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

   -- An item that has started is waiting in its row until it ends; its job says how it stands. linked: what a feed names
   -- beside it, as JSON. place: of an item that is retried, its number in the original batch. owner: the item of a watch.
   CREATE TABLE batch_items (
     batch_id TEXT NOT NULL,
     item INTEGER NOT NULL,
     url TEXT NOT NULL,
     title TEXT,
     linked TEXT,
     place INTEGER,
     owner TEXT,
     state TEXT NOT NULL DEFAULT 'waiting',
     job_id TEXT,
     code TEXT,
     message TEXT,
     retryable INTEGER,
     cost_micros INTEGER,
     complete INTEGER,
     PRIMARY KEY (batch_id, item)
   ) WITHOUT ROWID;

   -- The keys of the items of a batch, and of its retries, in the caller's bucket: no two share one. scope: the original batch,
   -- or the watch that made it.
   CREATE TABLE bucket_keys (
     scope TEXT NOT NULL,
     owner TEXT NOT NULL,
     key TEXT NOT NULL,
     PRIMARY KEY (scope, owner)
   ) WITHOUT ROWID;

   CREATE UNIQUE INDEX owners_of_bucket_keys ON bucket_keys (scope, key);

   -- What accounts follow: see watches/. All but the ids, the URL and the titles is JSON.
   CREATE TABLE watches (
     id TEXT PRIMARY KEY,
     url TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     key_id TEXT NOT NULL,
     origin TEXT,
     request_id TEXT,
     settings TEXT NOT NULL,
     title TEXT,
     source TEXT,
     reading TEXT,
     failing TEXT,
     pause TEXT,
     spending TEXT,
     batch_id TEXT
   ) WITHOUT ROWID;

   -- told: 0 while its event waits for the end of a pause. live_since: of an item that was live when it was tried.
   CREATE TABLE watch_items (
     watch_id TEXT NOT NULL,
     id TEXT NOT NULL,
     url TEXT NOT NULL,
     title TEXT,
     published_at INTEGER,
     seconds REAL,
     linked TEXT,
     state TEXT NOT NULL,
     told INTEGER NOT NULL DEFAULT 0,
     batch_id TEXT,
     job_id TEXT,
     attempts INTEGER NOT NULL DEFAULT 0,
     next_at INTEGER,
     live_since INTEGER,
     code TEXT,
     cost_micros INTEGER,
     PRIMARY KEY (watch_id, id)
   ) WITHOUT ROWID;

   CREATE INDEX watch_items_by_state ON watch_items (state, watch_id, id);

   -- By what entries are known again: see domain/watches/identity.ts. ambiguous: a guid that has stood twice in one document.
   CREATE TABLE watch_identities (
     watch_id TEXT NOT NULL,
     identity TEXT NOT NULL,
     ambiguous INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (watch_id, identity)
   ) WITHOUT ROWID;

   CREATE TABLE copies (
     job_id TEXT PRIMARY KEY,
     note TEXT,
     tries INTEGER NOT NULL DEFAULT 0,
     retry_at INTEGER NOT NULL DEFAULT 0
   ) WITHOUT ROWID;

   -- Provider keys that came with a job or a batch, sealed.
   CREATE TABLE sealed_keys (
     job_id TEXT PRIMARY KEY,
     sealed TEXT NOT NULL
   ) WITHOUT ROWID;

   CREATE TABLE webhook_secrets (
     seed TEXT PRIMARY KEY,
     created_at INTEGER NOT NULL,
     expires_at INTEGER
   ) WITHOUT ROWID;

   -- job_id: of the job, the batch or the watch. data: as in events.
   CREATE TABLE deliveries (
     id TEXT PRIMARY KEY,
     type TEXT NOT NULL,
     job_id TEXT,
     data TEXT,
     url TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
     attempts INTEGER NOT NULL DEFAULT 0,
     created_at INTEGER NOT NULL,
     attempted_at INTEGER,
     next_at INTEGER,
     lease TEXT,
     lease_until INTEGER,
     status INTEGER,
     response_body TEXT,
     attempt_error TEXT
   ) WITHOUT ROWID;

   CREATE INDEX failed_deliveries ON deliveries (id) WHERE state = 'failed' AND job_id IS NOT NULL;`,
]
