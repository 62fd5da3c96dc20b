-- What an account begins with. Its object takes it over at the first use; null for accounts that have their object.
ALTER TABLE accounts ADD COLUMN first_key_id TEXT;
ALTER TABLE accounts ADD COLUMN first_key_hash TEXT;
ALTER TABLE accounts ADD COLUMN first_credit_micros INTEGER; -- micro-dollars
