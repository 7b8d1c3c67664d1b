-- How much was let into the caches in the bucket that strangers fill, by the hour.
CREATE TABLE cache_admissions (
  cache TEXT NOT NULL, -- 'chain', or 'ipfs' for blocks from gateways
  hour INTEGER NOT NULL, -- whole hours since 1970
  bytes INTEGER NOT NULL, -- reserved by isolates: what they did not use is counted as well
  PRIMARY KEY (cache, hour)
) WITHOUT ROWID;

-- How far the jobs came that look through a prefix of the bucket, some objects a run.
CREATE TABLE sweep_positions (
  prefix TEXT PRIMARY KEY,
  position TEXT NOT NULL -- the last key that was looked at; empty at the beginning
) WITHOUT ROWID;
