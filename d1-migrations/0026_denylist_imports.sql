-- The denylist of somebody else that the operator follows (DENYLIST_URL): one row, what of it is in force.
CREATE TABLE denylist_import (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- where the row's list is from; NULL when none is followed
  url TEXT,
  -- the entity tag that it came with
  etag TEXT,
  -- its entries in the bucket, and those before, which isolates may still be reading; NULL when there are none
  object TEXT,
  previous TEXT,
  entries INTEGER NOT NULL DEFAULT 0,
  -- rules that are of no use here, and rules beyond the most that are taken
  skipped INTEGER NOT NULL DEFAULT 0,
  left_out INTEGER NOT NULL DEFAULT 0,
  -- milliseconds: last looked at, and last changed
  checked_at INTEGER NOT NULL DEFAULT 0,
  changed_at INTEGER,
  -- why the last look failed
  problem TEXT
) STRICT;

INSERT INTO denylist_import (id) VALUES (1);
