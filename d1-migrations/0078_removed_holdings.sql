-- What was removed and waits for its objects to be deleted counts in an account's quotas, and is bounded for all accounts
-- together. Counting it read up to 20,000 entries of an index for each new item (`hostile/filling`): now it is counted here.
ALTER TABLE holdings ADD COLUMN removed_items INTEGER NOT NULL DEFAULT 0;
ALTER TABLE holdings ADD COLUMN removed_bytes INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER items_held;
DROP TRIGGER items_held_no_more;
DROP TRIGGER items_held_deleted;

CREATE TRIGGER items_held AFTER INSERT ON items WHEN NEW.status IN (201, 402) BEGIN
  INSERT INTO holdings (user_id, items, bytes, removed_items, removed_bytes)
    SELECT user_id, NEW.removed_at IS NULL, IIF(NEW.removed_at IS NULL, size, 0),
      NEW.removed_at IS NOT NULL, IIF(NEW.removed_at IS NULL, 0, size)
    FROM (SELECT NEW.user_id AS user_id, IIF(NEW.directory_of IS NULL, NEW.size, 0) AS size
      UNION ALL SELECT '', IIF(NEW.directory_of IS NULL, NEW.size, 0))
    WHERE TRUE
    ON CONFLICT (user_id) DO UPDATE SET items = items + excluded.items, bytes = bytes + excluded.bytes,
      removed_items = removed_items + excluded.removed_items, removed_bytes = removed_bytes + excluded.removed_bytes;
END;
CREATE TRIGGER items_held_no_more AFTER UPDATE OF status ON items
WHEN OLD.status IN (201, 402) AND OLD.removed_at IS NULL AND NEW.status NOT IN (201, 402) BEGIN
  UPDATE holdings SET items = items - 1, bytes = bytes - IIF(OLD.directory_of IS NULL, OLD.size, 0)
    WHERE user_id IN (OLD.user_id, '');
  DELETE FROM holdings WHERE user_id = OLD.user_id AND items = 0 AND removed_items = 0;
END;
CREATE TRIGGER items_held_removed AFTER UPDATE OF removed_at ON items
WHEN NEW.status IN (201, 402) AND OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL BEGIN
  UPDATE holdings SET
    items = items - 1, bytes = bytes - IIF(OLD.directory_of IS NULL, OLD.size, 0),
    removed_items = removed_items + 1, removed_bytes = removed_bytes + IIF(OLD.directory_of IS NULL, OLD.size, 0)
    WHERE user_id IN (OLD.user_id, '');
END;
CREATE TRIGGER items_held_deleted AFTER DELETE ON items WHEN OLD.status IN (201, 402) AND OLD.removed_at IS NULL BEGIN
  UPDATE holdings SET items = items - 1, bytes = bytes - IIF(OLD.directory_of IS NULL, OLD.size, 0)
    WHERE user_id IN (OLD.user_id, '');
  DELETE FROM holdings WHERE user_id = OLD.user_id AND items = 0 AND removed_items = 0;
END;
CREATE TRIGGER items_removed_deleted AFTER DELETE ON items WHEN OLD.status IN (201, 402) AND OLD.removed_at IS NOT NULL BEGIN
  UPDATE holdings SET
    removed_items = removed_items - 1, removed_bytes = removed_bytes - IIF(OLD.directory_of IS NULL, OLD.size, 0)
    WHERE user_id IN (OLD.user_id, '');
  DELETE FROM holdings WHERE user_id = OLD.user_id AND items = 0 AND removed_items = 0;
END;

INSERT INTO holdings (user_id, items, bytes, removed_items, removed_bytes)
  SELECT user_id, 0, 0, COUNT(*), SUM(IIF(directory_of IS NULL, size, 0)) FROM items
  WHERE status IN (201, 402) AND removed_at IS NOT NULL GROUP BY user_id
  ON CONFLICT (user_id) DO UPDATE SET removed_items = excluded.removed_items, removed_bytes = excluded.removed_bytes;
UPDATE holdings SET
  removed_items = (SELECT IFNULL(SUM(removed_items), 0) FROM holdings WHERE user_id <> ''),
  removed_bytes = (SELECT IFNULL(SUM(removed_bytes), 0) FROM holdings WHERE user_id <> '')
  WHERE user_id = '';

-- The quotas were counted with it.
DROP INDEX items_unpaid;
-- The unpaid items of an account, the one that was changed longest ago first, without those that are removed.
CREATE INDEX items_removable ON items (user_id, updated_at, id, size)
  WHERE status IN (201, 402) AND part_of IS NULL AND removed_at IS NULL;
