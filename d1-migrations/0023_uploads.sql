-- Who writes an upload at the moment: one at a time, in whichever isolate.
CREATE TABLE upload_leases (
  item_id TEXT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  -- random, of one request
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  -- 1 when another writer was turned away meanwhile: one that receives nothing then makes room
  wanted INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A list of unfinished uploads looks at no stored item.
CREATE INDEX items_uploading ON items (user_id, created_at, id) WHERE status = 201;
