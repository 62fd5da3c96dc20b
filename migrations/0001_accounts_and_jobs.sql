-- The directory: what operators and lists read. The truth about money and live jobs is the account object's.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL -- ms since 1970
) WITHOUT ROWID;

-- One row for each job, from acceptance on. `position` is the id without its prefix: ordered by time over all
-- kinds, so that the primary key is also the order of the list.
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
  removed_at INTEGER,           -- ms since 1970: when its media left storage
  cost_micros INTEGER,          -- micro-dollars
  failure_code TEXT,
  PRIMARY KEY (account_id, position)
) WITHOUT ROWID;
