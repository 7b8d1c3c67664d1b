-- What an account was credited lately, from an index alone.
CREATE INDEX ledger_credits ON ledger (user_id, created_at, blockchain, amount) WHERE cause >= 'output:' AND cause < 'output;';

-- What each account holds that is not paid for and not removed, and all of them together (user_id ''): the quotas over all
-- accounts are asked with each new item, and whoever holds most gives way.
CREATE TABLE holdings (
  user_id TEXT PRIMARY KEY,
  items INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO holdings (user_id, items, bytes)
  SELECT user_id, COUNT(*), SUM(IIF(directory_of IS NULL, size, 0)) FROM items
  WHERE status IN (201, 402) AND removed_at IS NULL GROUP BY user_id;
INSERT INTO holdings (user_id, items, bytes) SELECT '', IFNULL(SUM(items), 0), IFNULL(SUM(bytes), 0) FROM holdings;

CREATE TRIGGER items_held AFTER INSERT ON items WHEN NEW.status IN (201, 402) AND NEW.removed_at IS NULL BEGIN
  INSERT INTO holdings (user_id, items, bytes)
    VALUES (NEW.user_id, 1, IIF(NEW.directory_of IS NULL, NEW.size, 0)), ('', 1, IIF(NEW.directory_of IS NULL, NEW.size, 0))
    ON CONFLICT (user_id) DO UPDATE SET items = items + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER items_held_no_more AFTER UPDATE OF status, removed_at ON items
WHEN OLD.status IN (201, 402) AND OLD.removed_at IS NULL AND (NEW.status NOT IN (201, 402) OR NEW.removed_at IS NOT NULL) BEGIN
  UPDATE holdings SET items = items - 1, bytes = bytes - IIF(OLD.directory_of IS NULL, OLD.size, 0)
    WHERE user_id IN (OLD.user_id, '');
  DELETE FROM holdings WHERE user_id = OLD.user_id AND items = 0;
END;
CREATE TRIGGER items_held_deleted AFTER DELETE ON items WHEN OLD.status IN (201, 402) AND OLD.removed_at IS NULL BEGIN
  UPDATE holdings SET items = items - 1, bytes = bytes - IIF(OLD.directory_of IS NULL, OLD.size, 0)
    WHERE user_id IN (OLD.user_id, '');
  DELETE FROM holdings WHERE user_id = OLD.user_id AND items = 0;
END;
