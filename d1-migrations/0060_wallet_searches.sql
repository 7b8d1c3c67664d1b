-- When the whole wallet was last searched (milliseconds), and whether it is to be searched again when that was long
-- enough ago.
ALTER TABLE wallet_scans ADD COLUMN searched_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE wallet_scans ADD COLUMN search_due INTEGER NOT NULL DEFAULT 0;
