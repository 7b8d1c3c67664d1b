-- How many rows each table that grows had when it was last counted, and how large the database was on each day.
CREATE TABLE table_counts (
  name TEXT PRIMARY KEY,
  rows INTEGER NOT NULL,
  -- milliseconds
  counted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE database_sizes (
  -- days since 1970
  day INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT;

-- Decided reports are deleted by their age.
CREATE INDEX reports_by_decision ON reports (decided_at) WHERE decided_at IS NOT NULL;
