-- Grows with each change of the account, so that a write that comes late does not undo a later one.
ALTER TABLE accounts ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
