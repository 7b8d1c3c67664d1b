-- Transactions of settled items are folded into the rows of their txids, and a transaction that waits for that costs fewer rows.

-- 1: given up. A column of its own, which a trigger keeps: an index of only those that are live by `state` is written anew with
-- each change of state.
ALTER TABLE transactions ADD COLUMN dead INTEGER NOT NULL DEFAULT 0;
UPDATE transactions SET dead = 1 WHERE blockchain IN ('Bitcoin', 'Dogecoin', 'Nativecoin') AND state = 'dead';
CREATE TRIGGER transactions_given_up AFTER UPDATE OF state ON transactions WHEN (NEW.state = 'dead') != NEW.dead BEGIN
  UPDATE transactions SET dead = (NEW.state = 'dead') WHERE rowid = NEW.rowid;
END;

-- The objects of signed bytes that are in the bucket, and the height of the best chain when each was recorded.
CREATE TABLE signed_bundles (
  blockchain TEXT NOT NULL,
  height INTEGER NOT NULL,
  -- R2 key
  bundle TEXT NOT NULL,
  PRIMARY KEY (blockchain, height, bundle)
) STRICT, WITHOUT ROWID;
INSERT INTO signed_bundles (blockchain, height, bundle)
  SELECT DISTINCT blockchain, 0, bundle FROM transactions WHERE bundle != '';

DROP INDEX transactions_by_lane;
DROP INDEX transactions_by_item;
DROP INDEX transactions_by_progress;
DROP INDEX transactions_kept;
DROP INDEX transactions_dead_kept;
DROP INDEX transactions_by_state;
DROP INDEX transactions_by_height;
CREATE UNIQUE INDEX transactions_by_lane ON transactions (blockchain, lane, seq) WHERE dead = 0;
CREATE UNIQUE INDEX transactions_by_item ON transactions (item_id, item_index) WHERE dead = 0 AND item_id IS NOT NULL;
-- Those in no block are the ones without a height.
CREATE INDEX transactions_by_height ON transactions (blockchain, block_height) WHERE dead = 0;

-- An item's transactions, once they are folded: 32 bytes a txid in the place of the text, the heights of their blocks (runs of
-- equal ones: the first height and how many, then each height above or below the first and how many), and what they were.
ALTER TABLE item_txids ADD COLUMN packed BLOB;
ALTER TABLE item_txids ADD COLUMN heights TEXT;
ALTER TABLE item_txids ADD COLUMN vsize INTEGER;
-- base units, decimal
ALTER TABLE item_txids ADD COLUMN fee TEXT;

-- Where all of its transactions are in blocks at or below this height and are still to be folded.
ALTER TABLE writes ADD COLUMN fold_from INTEGER;
-- The highest of their blocks, once they are folded.
ALTER TABLE writes ADD COLUMN folded_height INTEGER;
ALTER TABLE writes ADD COLUMN folded_hash TEXT;
UPDATE writes SET fold_from = 0 WHERE state IN ('published', 'done') AND target = blockchain;
CREATE INDEX writes_to_fold ON writes (blockchain, fold_from) WHERE fold_from IS NOT NULL;
CREATE INDEX writes_folded ON writes (blockchain, folded_height) WHERE folded_height IS NOT NULL;

-- A block costs one row written, not two.
CREATE TABLE blocks_without_rowid (
  blockchain TEXT NOT NULL,
  height INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (blockchain, height)
) STRICT, WITHOUT ROWID;
INSERT INTO blocks_without_rowid (blockchain, height, hash) SELECT blockchain, height, hash FROM blocks;
DROP TABLE blocks;
ALTER TABLE blocks_without_rowid RENAME TO blocks;
