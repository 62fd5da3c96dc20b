-- Callers' secrets. Each is sealed for its account and record (domain/secrets/sealing.ts).
CREATE TABLE credentials (
  account_id TEXT NOT NULL,
  record TEXT NOT NULL,         -- names the secret within the account: provider/openai
  sealed TEXT NOT NULL,
  shown TEXT NOT NULL,          -- JSON: the part that may be shown
  updated_at INTEGER NOT NULL,  -- ms since 1970
  PRIMARY KEY (account_id, record)
) WITHOUT ROWID;
