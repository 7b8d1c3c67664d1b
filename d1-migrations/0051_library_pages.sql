-- The library's lists are pages of items by their keys, and counts of the indexes here: 0032 kept a row for each place of an
-- item in each of its lists. What names have as words is kept by triggers, so that no statement that moves an item can
-- forget it, and so is how many files a directory and a folder have. All of this is made of items and folders: this file
-- may be run again at any time, and has to be after rows were imported (docs/operators.md).

DROP TRIGGER IF EXISTS item_places_added;
DROP TRIGGER IF EXISTS item_runs_split;
DROP TRIGGER IF EXISTS item_places_removed;
DROP TRIGGER IF EXISTS item_runs_join;
DROP TRIGGER IF EXISTS item_runs_end;
DROP TRIGGER IF EXISTS items_inserted;
DROP TRIGGER IF EXISTS items_deleted;
DROP TRIGGER IF EXISTS items_leaving_state;
DROP TRIGGER IF EXISTS items_entering_state;
DROP TRIGGER IF EXISTS items_counted_less;
DROP TRIGGER IF EXISTS items_counted_more;
DROP TRIGGER IF EXISTS items_leaving_list;
DROP TRIGGER IF EXISTS items_entering_list;
DROP TRIGGER IF EXISTS items_in_directory;
DROP TRIGGER IF EXISTS items_into_folder;
DROP TRIGGER IF EXISTS items_out_of_folder;
DROP TRIGGER IF EXISTS items_deleted_from_folder;
DROP VIEW IF EXISTS wanted_places;
DROP VIEW IF EXISTS wanted_words;
DROP TABLE IF EXISTS item_counts;
DROP TABLE IF EXISTS item_places;
DROP TABLE IF EXISTS item_runs;
DROP TABLE IF EXISTS item_words;
DROP TABLE IF EXISTS item_numbers;
DROP TRIGGER IF EXISTS items_losing_words;
DROP TRIGGER IF EXISTS items_getting_words;

-- Of the items that are listed: live, and no part of a directory. The last two columns are what lists are narrowed by.
CREATE INDEX IF NOT EXISTS items_by_created ON items (user_id, created_at, id, status, folder_id)
  WHERE removed_at IS NULL AND part_of IS NULL;
CREATE INDEX IF NOT EXISTS items_by_name ON items (user_id, lower(name), id, status, folder_id)
  WHERE removed_at IS NULL AND part_of IS NULL;
CREATE INDEX IF NOT EXISTS items_by_size ON items (user_id, size, id, status, folder_id)
  WHERE removed_at IS NULL AND part_of IS NULL;

UPDATE items SET files = (SELECT COUNT(*) FROM items f WHERE f.part_of = items.id) WHERE directory_of IS NOT NULL;
UPDATE folders SET items = (
  WITH RECURSIVE down (id) AS (
    SELECT folders.id UNION ALL SELECT f.id FROM folders f JOIN down ON f.parent_id = down.id)
  SELECT COUNT(*) FROM down JOIN items i ON i.folder_id = down.id
  WHERE i.directory_of IS NULL AND i.removed_at IS NULL);

-- Words of names. Each begins with its account's id, so that a search reads what one account has, however much others do.
CREATE VIRTUAL TABLE item_words USING fts5 (words, content = '', contentless_delete = 1);

-- The rows of item_words.
CREATE TABLE item_numbers (
  n INTEGER PRIMARY KEY,
  item_id TEXT NOT NULL UNIQUE
) STRICT;

-- FTS5 cuts a name into words where it is neither letter nor digit; so does this, for the marks that names have.
CREATE VIEW wanted_words AS
  SELECT id AS item_id, replace(' ' ||
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    replace(replace(replace(
    name,
    '!', ' '), '"', ' '), '#', ' '), '$', ' '), '%', ' '), '&', ' '),
    '''', ' '), '(', ' '), ')', ' '), '*', ' '), '+', ' '), ',', ' '),
    '-', ' '), '.', ' '), ':', ' '), ';', ' '), '<', ' '), '=', ' '),
    '>', ' '), '?', ' '), '@', ' '), '[', ' '), ']', ' '), '^', ' '),
    '_', ' '), '`', ' '), '{', ' '), '|', ' '), '}', ' '), '~', ' '),
    ' ', ' '), '–', ' '), '—', ' '), '‘', ' '), '’', ' '), '“', ' '),
    '”', ' '), '…', ' '), '·', ' '), '«', ' '), '»', ' '), '、', ' '),
    '。', ' '), '・', ' '), '（', ' '), '）', ' '), '「', ' '), '」', ' '),
    '，', ' '), '＿', ' '), '　', ' '),
    ' ', ' ' || hex(user_id) || 'x') AS words
  FROM items WHERE removed_at IS NULL AND part_of IS NULL;

INSERT INTO item_numbers (item_id) SELECT id FROM items WHERE removed_at IS NULL AND part_of IS NULL ORDER BY created_at, id;
INSERT INTO item_words (rowid, words) SELECT n, words FROM item_numbers JOIN wanted_words USING (item_id);

CREATE TRIGGER items_inserted AFTER INSERT ON items WHEN NEW.removed_at IS NULL AND NEW.part_of IS NULL BEGIN
  INSERT INTO item_numbers (item_id) VALUES (NEW.id);
  INSERT INTO item_words (rowid, words)
    SELECT n, words FROM item_numbers JOIN wanted_words USING (item_id) WHERE item_id = NEW.id;
END;

CREATE TRIGGER items_deleted BEFORE DELETE ON items WHEN OLD.removed_at IS NULL AND OLD.part_of IS NULL BEGIN
  DELETE FROM item_words WHERE rowid = (SELECT n FROM item_numbers WHERE item_id = OLD.id);
  DELETE FROM item_numbers WHERE item_id = OLD.id;
END;

CREATE TRIGGER items_losing_words BEFORE UPDATE OF user_id, part_of, name, removed_at ON items
WHEN OLD.removed_at IS NULL AND OLD.part_of IS NULL BEGIN
  DELETE FROM item_words WHERE rowid = (SELECT n FROM item_numbers WHERE item_id = OLD.id);
  DELETE FROM item_numbers WHERE item_id = OLD.id;
END;

CREATE TRIGGER items_getting_words AFTER UPDATE OF user_id, part_of, name, removed_at ON items
WHEN NEW.removed_at IS NULL AND NEW.part_of IS NULL BEGIN
  INSERT INTO item_numbers (item_id) VALUES (NEW.id);
  INSERT INTO item_words (rowid, words)
    SELECT n, words FROM item_numbers JOIN wanted_words USING (item_id) WHERE item_id = NEW.id;
END;

CREATE TRIGGER items_in_directory AFTER UPDATE OF part_of ON items WHEN NEW.part_of IS NOT OLD.part_of BEGIN
  UPDATE items SET files = files - 1 WHERE id = OLD.part_of;
  UPDATE items SET files = files + 1 WHERE id = NEW.part_of;
END;

-- A folder may be 32 deep, and an item lies in its folder and in all those above.
CREATE TRIGGER items_into_folder AFTER INSERT ON items
WHEN NEW.folder_id IS NOT NULL AND NEW.directory_of IS NULL AND NEW.removed_at IS NULL BEGIN
  UPDATE folders SET items = items + 1 WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT NEW.folder_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
END;

CREATE TRIGGER items_out_of_folder AFTER UPDATE OF removed_at ON items
WHEN NEW.folder_id IS NOT NULL AND NEW.directory_of IS NULL AND NEW.removed_at IS NOT NULL AND OLD.removed_at IS NULL BEGIN
  UPDATE folders SET items = items - 1 WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT NEW.folder_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
END;

CREATE TRIGGER items_deleted_from_folder AFTER DELETE ON items
WHEN OLD.folder_id IS NOT NULL AND OLD.directory_of IS NULL AND OLD.removed_at IS NULL BEGIN
  UPDATE folders SET items = items - 1 WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT OLD.folder_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
END;
