-- Callers' secrets, each sealed for its account and record (worker/domain/secrets/sealing.ts).
CREATE TABLE credentials (
  account_id TEXT NOT NULL,
  record TEXT NOT NULL,         -- which secret of the account: provider/openai
  sealed TEXT NOT NULL,
  shown TEXT NOT NULL,          -- JSON: what of it may be shown again
  updated_at INTEGER NOT NULL,  -- ms since 1970
  PRIMARY KEY (account_id, record)
) WITHOUT ROWID;
