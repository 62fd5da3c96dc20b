-- The key that has started the job. null for rows of earlier versions.
ALTER TABLE jobs ADD COLUMN key_id TEXT;
-- ms since 1970: when the media of an import expires. null for transcriptions, and for rows of earlier versions.
ALTER TABLE jobs ADD COLUMN expires_at INTEGER;

-- The web origins that the keys of accounts name. A browser asks before it sends a key, so these must be found without one.
CREATE TABLE key_origins (
  account_id TEXT NOT NULL,
  origin TEXT NOT NULL,
  PRIMARY KEY (account_id, origin)
) WITHOUT ROWID;

CREATE INDEX key_origins_by_origin ON key_origins (origin);
