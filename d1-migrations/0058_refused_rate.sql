-- The highest fee rate, base units per 1,000 vbytes, at which a node found a transaction of the item too cheap that no node ever had.
ALTER TABLE writes ADD COLUMN refused_rate TEXT;
