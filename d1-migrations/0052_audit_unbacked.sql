-- Whether a credit by hand was made without a look at what the wallet holds; NULL for every other act.
ALTER TABLE audit ADD COLUMN unbacked INTEGER;
