-- The web origins that the keys of accounts name. A browser asks before it sends a key, so these must be found without one.
CREATE TABLE key_origins (
  account_id TEXT NOT NULL,
  origin TEXT NOT NULL,
  PRIMARY KEY (account_id, origin)
) WITHOUT ROWID;

CREATE INDEX key_origins_by_origin ON key_origins (origin);
