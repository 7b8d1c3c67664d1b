-- The transaction that another one replaced (BIP 125), which paid the same address; when that was seen (milliseconds),
-- and how much of this output counts as seen then: base units, decimal, no more than the replaced one paid.
ALTER TABLE outputs ADD COLUMN replaces TEXT;
ALTER TABLE outputs ADD COLUMN early_at INTEGER;
ALTER TABLE outputs ADD COLUMN early_amount TEXT;
