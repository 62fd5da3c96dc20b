-- Copies for the list of accounts. The account objects own both.
ALTER TABLE accounts ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0;
-- The name in lower case, which `lower` makes only of ASCII. Names that the Worker writes have all letters so.
ALTER TABLE accounts ADD COLUMN searched_name TEXT NOT NULL DEFAULT '';
UPDATE accounts SET searched_name = lower(name);
