-- What the caller noted on a job, as JSON. null for none.
ALTER TABLE jobs ADD COLUMN metadata TEXT;
-- The title and the URL in lower case, where `lower` does not make them so: it knows ASCII only. null for all other rows.
ALTER TABLE jobs ADD COLUMN searched TEXT;

-- Finds jobs by their metadata, newest first. A row for each key of the jobs that have some.
CREATE TABLE job_metadata (
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  position TEXT NOT NULL,       -- as in the table of jobs
  PRIMARY KEY (account_id, name, value, position)
) WITHOUT ROWID;
