-- A copy for lists and operators. The account objects own balances and running jobs.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL -- ms since 1970
) WITHOUT ROWID;

-- One row per accepted job. `position` is the id without its prefix, which orders jobs of all kinds by time. The
-- primary key is therefore the order of lists.
CREATE TABLE jobs (
  account_id TEXT NOT NULL,
  position TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,           -- import, transcription
  state TEXT NOT NULL,          -- queued, running, completed, failed
  url TEXT NOT NULL,
  title TEXT,
  created_at INTEGER NOT NULL,  -- ms since 1970
  started_at INTEGER,           -- ms since 1970
  completed_at INTEGER,         -- ms since 1970
  removed_at INTEGER,           -- ms since 1970: when its media was deleted
  cost_micros INTEGER,          -- micro-dollars
  failure_code TEXT,
  PRIMARY KEY (account_id, position)
) WITHOUT ROWID;
