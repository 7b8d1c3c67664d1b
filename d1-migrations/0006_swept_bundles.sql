-- Signed bytes that no transaction came to refer to, deleted or about to be. Kept for good: whoever put them there may
-- still be about to record them, however long ago that was, and is refused then.
CREATE TABLE swept_bundles (
  -- R2 key
  bundle TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
