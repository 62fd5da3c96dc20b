-- Copies for lists and operators. The account objects own balances and running jobs. Times are ms since 1970.
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  searched_name TEXT NOT NULL,  -- the name in lower case, which `lower` makes only of ASCII
  created_at INTEGER NOT NULL,
  suspended INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 0, -- grows with each change, so that a write that comes late does not undo a later one
  -- What the account begins with. Its object takes it over at the first use; null for accounts that have their object.
  first_key_id TEXT,
  first_key_hash TEXT,
  first_credit_micros INTEGER   -- micro-dollars
) WITHOUT ROWID;

-- One row for each job that has ended. `position` is the id without its prefix, which orders jobs of all kinds by time. The
-- primary key is therefore the order of lists.
CREATE TABLE jobs (
  account_id TEXT NOT NULL,
  position TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,           -- import, transcription
  state TEXT NOT NULL,          -- completed, failed
  url TEXT NOT NULL,
  title TEXT,
  searched TEXT,                -- title and URL in lower case, where `lower` does not make them so. null for all other rows
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  removed_at INTEGER,           -- when its media was deleted
  expires_at INTEGER,           -- when the media of an import expires. null for transcriptions
  cost_micros INTEGER,          -- micro-dollars
  failure_code TEXT,
  metadata TEXT,                -- what the caller noted on the job, as JSON. null for none
  key_id TEXT,                  -- the key that has started the job
  PRIMARY KEY (account_id, position)
) WITHOUT ROWID;

-- Finds jobs by their metadata, newest first. A row for each key of the jobs that have some.
CREATE TABLE job_metadata (
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  position TEXT NOT NULL,       -- as in the table of jobs
  PRIMARY KEY (account_id, name, value, position)
) WITHOUT ROWID;

-- The web origins that the keys of accounts name. A browser asks before it sends a key, so these must be found without one.
CREATE TABLE key_origins (
  account_id TEXT NOT NULL,
  origin TEXT NOT NULL,
  PRIMARY KEY (account_id, origin)
) WITHOUT ROWID;

CREATE INDEX key_origins_by_origin ON key_origins (origin);

-- Callers' secrets. Each is sealed for its account and record (domain/secrets/sealing.ts).
CREATE TABLE credentials (
  account_id TEXT NOT NULL,
  record TEXT NOT NULL,         -- names the secret within the account: provider/openai
  sealed TEXT NOT NULL,
  shown TEXT NOT NULL,          -- JSON: the part that may be shown
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, record)
) WITHOUT ROWID;
