-- The least deposit that this output was below with all that waited of its account, in base units; NULL: it was not found so.
-- It is pending until that sum reaches the setting.
ALTER TABLE outputs ADD COLUMN below INTEGER;
CREATE INDEX outputs_below ON outputs (blockchain, address) WHERE below IS NOT NULL AND credited = 0;
