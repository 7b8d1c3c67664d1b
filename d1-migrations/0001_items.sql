CREATE TABLE folders (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  parent_id TEXT REFERENCES folders (id),
  name TEXT NOT NULL,
  blockchain TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- NULL is distinct from NULL in a unique index; a folder without parent must collide with its like.
CREATE UNIQUE INDEX folders_by_name ON folders (user_id, blockchain, IFNULL(parent_id, ''), name);

CREATE TABLE items (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  -- No reference here and below: the row of a removed item outlives its folder.
  folder_id TEXT,
  -- The directory item that this file became part of, when its folder was merged.
  part_of TEXT REFERENCES items (id),
  -- The folder that this item is, if it came of a folder's merge.
  directory_of TEXT,
  name TEXT NOT NULL,
  mimetype TEXT NOT NULL,
  blockchain TEXT NOT NULL,
  size INTEGER NOT NULL,
  chunk_size INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  -- 201 uploading, 402 waiting for payment, 202 being written, 200 stored, 409 needs an operator
  status INTEGER NOT NULL DEFAULT 201,
  message TEXT,
  -- What merge found: bytes stored (Brotli, or all blocks of the DAG), data transactions, data bytes of each.
  stored_size INTEGER,
  transactions INTEGER,
  max_data_bytes INTEGER,
  -- Since when a merge goes on, and the error code of the last one that was refused.
  merging_at INTEGER,
  refusal TEXT,
  written INTEGER NOT NULL DEFAULT 0,
  confirmed INTEGER NOT NULL DEFAULT 0,
  cid TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Gone for everybody; the row stays until its objects are deleted.
  removed_at INTEGER,
  -- 1 while chunks or stored bytes may be in the bucket that are of no use once the item is stored.
  leftovers INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE INDEX items_by_user ON items (user_id, created_at, id);
CREATE INDEX items_by_status ON items (status, updated_at);
CREATE INDEX items_by_folder ON items (folder_id);
CREATE INDEX items_by_directory_item ON items (part_of) WHERE part_of IS NOT NULL;
CREATE UNIQUE INDEX items_by_directory ON items (directory_of) WHERE directory_of IS NOT NULL AND removed_at IS NULL;
CREATE INDEX items_merging ON items (merging_at) WHERE merging_at IS NOT NULL;
CREATE INDEX items_leftover ON items (updated_at) WHERE status = 200 AND leftovers = 1;
CREATE INDEX items_removed ON items (removed_at) WHERE removed_at IS NOT NULL;

-- Published only when every transaction is confirmed. Apart from items, so that lists stay small.
CREATE TABLE item_txids (
  item_id TEXT PRIMARY KEY REFERENCES items (id),
  -- 64 hex digits a transaction, one after another, in order
  txids TEXT NOT NULL
) STRICT;
