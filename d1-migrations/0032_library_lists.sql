-- The library's lists. What a list shows is kept by triggers, so that no statement that moves an item can forget it: an
-- item is listed while it is live and no part of a directory. All of this is made of items and folders: this file may be
-- run again at any time, and has to be after rows were imported (docs/operators.md).

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

UPDATE items SET files = (SELECT COUNT(*) FROM items f WHERE f.part_of = items.id) WHERE directory_of IS NOT NULL;
UPDATE folders SET items = (
  WITH RECURSIVE down (id) AS (
    SELECT folders.id UNION ALL SELECT f.id FROM folders f JOIN down ON f.parent_id = down.id)
  SELECT COUNT(*) FROM down JOIN items i ON i.folder_id = down.id
  WHERE i.directory_of IS NULL AND i.removed_at IS NULL);

-- How many items an account has in each state, and their bytes.
CREATE TABLE item_counts (
  user_id TEXT NOT NULL,
  status INTEGER NOT NULL,
  n INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (user_id, status)
) STRICT, WITHOUT ROWID;
INSERT INTO item_counts
  SELECT user_id, status, COUNT(*), SUM(size) FROM items WHERE removed_at IS NULL AND part_of IS NULL GROUP BY user_id, status;

-- The place of each item in each list that it is in. A list is <of whom>/<status, or 0 for all>/<by what it is sorted>;
-- of whom is user/<id>, folder/<id>, none/<user> for what is in no folder, or all for everybody's conflicts.
CREATE TABLE item_places (
  list TEXT NOT NULL,
  -- what it is sorted by, and the id of the item
  place TEXT NOT NULL,
  PRIMARY KEY (list, place)
) STRICT, WITHOUT ROWID;

-- The places that an item has to have.
CREATE VIEW wanted_places AS
  SELECT i.id AS item_id, of_status.own AS of_status,
    IIF(owner.kind = 'user', 'user/' || i.user_id, IIF(owner.kind = 'all', 'all',
      IFNULL('folder/' || i.folder_id, 'none/' || i.user_id)))
      || '/' || IIF(of_status.own, i.status, 0) || '/' || sort.by AS list,
    IIF(sort.by = 'name', lower(i.name), IIF(sort.by = 'size', printf('%016d', i.size), printf('%015d', i.created_at)))
      || char(1) || i.id AS place
  FROM items i
    CROSS JOIN (SELECT 'user' AS kind UNION ALL SELECT 'folder' UNION ALL SELECT 'all') owner
    CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) of_status
    CROSS JOIN (SELECT 'name' AS by UNION ALL SELECT 'size' UNION ALL SELECT 'created') sort
  WHERE i.removed_at IS NULL AND i.part_of IS NULL AND (owner.kind <> 'all' OR (i.status = 409 AND of_status.own));

INSERT INTO item_places SELECT list, place FROM wanted_places ORDER BY list, place;

-- A list cut into runs: how many places it has from `first` up to the next run's. A run has fewer than 256, so that any
-- page is found by the runs and at most 255 places passed over. The first run of a list begins with ''.
CREATE TABLE item_runs (
  list TEXT NOT NULL,
  first TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (list, first)
) STRICT, WITHOUT ROWID;
INSERT INTO item_runs
  SELECT list, IIF(run = 0, '', MIN(place)), COUNT(*)
  FROM (SELECT list, place, (ROW_NUMBER() OVER (PARTITION BY list ORDER BY place) - 1) / 128 AS run FROM item_places)
  GROUP BY list, run;

CREATE TRIGGER item_places_added AFTER INSERT ON item_places BEGIN
  INSERT INTO item_runs (list, first, n)
    SELECT NEW.list, '', 0 WHERE NOT EXISTS (SELECT 1 FROM item_runs WHERE list = NEW.list);
  UPDATE item_runs SET n = n + 1 WHERE list = NEW.list AND first = (
    SELECT first FROM item_runs WHERE list = NEW.list AND first <= NEW.place ORDER BY first DESC LIMIT 1);
END;

CREATE TRIGGER item_runs_split AFTER UPDATE OF n ON item_runs WHEN NEW.n >= 256 BEGIN
  INSERT INTO item_runs (list, first, n)
    SELECT NEW.list, place, NEW.n - 128 FROM item_places
    WHERE list = NEW.list AND place >= NEW.first ORDER BY place LIMIT 1 OFFSET 128;
  UPDATE item_runs SET n = 128 WHERE list = NEW.list AND first = NEW.first;
END;

CREATE TRIGGER item_places_removed AFTER DELETE ON item_places BEGIN
  UPDATE item_runs SET n = n - 1 WHERE list = OLD.list AND first = (
    SELECT first FROM item_runs WHERE list = OLD.list AND first <= OLD.place ORDER BY first DESC LIMIT 1);
END;

-- A short run joins the one before it where both together are short enough, an empty one always.
CREATE TRIGGER item_runs_join AFTER UPDATE OF n ON item_runs
WHEN NEW.n < OLD.n AND NEW.n < 32 AND NEW.first <> '' AND (NEW.n = 0 OR NEW.n + (
  SELECT n FROM item_runs WHERE list = NEW.list AND first < NEW.first ORDER BY first DESC LIMIT 1) < 192)
BEGIN
  DELETE FROM item_runs WHERE list = NEW.list AND first = NEW.first;
  UPDATE item_runs SET n = n + NEW.n WHERE list = NEW.list AND first = (
    SELECT first FROM item_runs WHERE list = NEW.list AND first < NEW.first ORDER BY first DESC LIMIT 1);
END;

CREATE TRIGGER item_runs_end AFTER UPDATE OF n ON item_runs WHEN NEW.n = 0 AND NEW.first = '' BEGIN
  DELETE FROM item_runs WHERE list = NEW.list AND first = '' AND NOT EXISTS (
    SELECT 1 FROM item_runs WHERE list = NEW.list AND first > '');
END;

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

-- What an item that is listed has, put in place and taken away.

CREATE TRIGGER items_inserted AFTER INSERT ON items BEGIN
  INSERT OR IGNORE INTO item_places SELECT list, place FROM wanted_places WHERE item_id = NEW.id;
  INSERT INTO item_counts SELECT NEW.user_id, NEW.status, 1, NEW.size
    WHERE NEW.removed_at IS NULL AND NEW.part_of IS NULL
    ON CONFLICT (user_id, status) DO UPDATE SET n = n + 1, bytes = bytes + excluded.bytes;
  INSERT INTO item_numbers (item_id) SELECT NEW.id WHERE NEW.removed_at IS NULL AND NEW.part_of IS NULL;
  INSERT INTO item_words (rowid, words)
    SELECT n, words FROM item_numbers JOIN wanted_words USING (item_id) WHERE item_id = NEW.id;
END;

CREATE TRIGGER items_deleted BEFORE DELETE ON items WHEN OLD.removed_at IS NULL AND OLD.part_of IS NULL BEGIN
  DELETE FROM item_places WHERE (list, place) IN (SELECT list, place FROM wanted_places WHERE item_id = OLD.id);
  UPDATE item_counts SET n = n - 1, bytes = bytes - OLD.size WHERE user_id = OLD.user_id AND status = OLD.status;
  DELETE FROM item_words WHERE rowid = (SELECT n FROM item_numbers WHERE item_id = OLD.id);
  DELETE FROM item_numbers WHERE item_id = OLD.id;
END;

CREATE TRIGGER items_leaving_state BEFORE UPDATE OF status ON items
WHEN NEW.status <> OLD.status AND OLD.removed_at IS NULL AND OLD.part_of IS NULL BEGIN
  DELETE FROM item_places
    WHERE (list, place) IN (SELECT list, place FROM wanted_places WHERE item_id = OLD.id AND of_status);
END;

CREATE TRIGGER items_entering_state AFTER UPDATE OF status ON items
WHEN NEW.status <> OLD.status AND NEW.removed_at IS NULL AND NEW.part_of IS NULL BEGIN
  INSERT OR IGNORE INTO item_places SELECT list, place FROM wanted_places WHERE item_id = NEW.id AND of_status;
END;

CREATE TRIGGER items_counted_less BEFORE UPDATE OF status, user_id, size, part_of, removed_at ON items
WHEN OLD.removed_at IS NULL AND OLD.part_of IS NULL BEGIN
  UPDATE item_counts SET n = n - 1, bytes = bytes - OLD.size WHERE user_id = OLD.user_id AND status = OLD.status;
END;

CREATE TRIGGER items_counted_more AFTER UPDATE OF status, user_id, size, part_of, removed_at ON items
WHEN NEW.removed_at IS NULL AND NEW.part_of IS NULL BEGIN
  INSERT INTO item_counts VALUES (NEW.user_id, NEW.status, 1, NEW.size)
    ON CONFLICT (user_id, status) DO UPDATE SET n = n + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER items_leaving_list BEFORE UPDATE OF user_id, folder_id, part_of, name, size, created_at, removed_at ON items
WHEN OLD.removed_at IS NULL AND OLD.part_of IS NULL BEGIN
  DELETE FROM item_places WHERE (list, place) IN (SELECT list, place FROM wanted_places WHERE item_id = OLD.id);
  DELETE FROM item_words WHERE rowid = (SELECT n FROM item_numbers WHERE item_id = OLD.id);
  DELETE FROM item_numbers WHERE item_id = OLD.id;
END;

CREATE TRIGGER items_entering_list AFTER UPDATE OF user_id, folder_id, part_of, name, size, created_at, removed_at ON items
WHEN NEW.removed_at IS NULL AND NEW.part_of IS NULL BEGIN
  INSERT OR IGNORE INTO item_places SELECT list, place FROM wanted_places WHERE item_id = NEW.id;
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
