-- What a client stores together: files, and the folders that they are in, of one target. The id is the client's.
CREATE TABLE orders (
  user_id TEXT NOT NULL,
  id TEXT NOT NULL,
  -- of its first folder, or file
  name TEXT NOT NULL,
  blockchain TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX orders_by_age ON orders (user_id, created_at, id);

ALTER TABLE items ADD COLUMN order_id TEXT;
ALTER TABLE folders ADD COLUMN order_id TEXT;
CREATE INDEX items_by_order ON items (user_id, order_id, created_at, id) WHERE order_id IS NOT NULL;
CREATE INDEX folders_by_order ON folders (user_id, order_id) WHERE order_id IS NOT NULL;

-- An order goes with the last of what is in it.
CREATE TRIGGER items_leaving_order AFTER DELETE ON items WHEN OLD.order_id IS NOT NULL BEGIN
  DELETE FROM orders WHERE user_id = OLD.user_id AND id = OLD.order_id
    AND NOT EXISTS (SELECT 1 FROM items WHERE user_id = OLD.user_id AND order_id = OLD.order_id)
    AND NOT EXISTS (SELECT 1 FROM folders WHERE user_id = OLD.user_id AND order_id = OLD.order_id);
END;

CREATE TRIGGER folders_leaving_order AFTER DELETE ON folders WHEN OLD.order_id IS NOT NULL BEGIN
  DELETE FROM orders WHERE user_id = OLD.user_id AND id = OLD.order_id
    AND NOT EXISTS (SELECT 1 FROM items WHERE user_id = OLD.user_id AND order_id = OLD.order_id)
    AND NOT EXISTS (SELECT 1 FROM folders WHERE user_id = OLD.user_id AND order_id = OLD.order_id);
END;
