-- 1 from the merge of a folder on: its name is free for its next version, an open folder beside it. Until its merge is
-- done a folder may become open again.
ALTER TABLE folders ADD COLUMN merged INTEGER NOT NULL DEFAULT 0;
UPDATE folders SET merged = 1
  WHERE id IN (SELECT directory_of FROM items WHERE directory_of IS NOT NULL AND removed_at IS NULL AND status <> 201);

CREATE TRIGGER folders_merged AFTER UPDATE OF status ON items
WHEN NEW.directory_of IS NOT NULL AND OLD.status = 201 AND NEW.status <> 201 BEGIN
  UPDATE folders SET merged = 1 WHERE id = NEW.directory_of;
END;

DROP INDEX folders_by_name;
CREATE UNIQUE INDEX folders_by_name ON folders (user_id, blockchain, IFNULL(parent_id, ''), name) WHERE merged = 0;
CREATE INDEX folders_merged_by_name ON folders (user_id, blockchain, IFNULL(parent_id, ''), name, created_at)
  WHERE merged = 1;
-- What a list of folders is read by.
CREATE INDEX folders_by_place ON folders (user_id, IFNULL(parent_id, ''), created_at, id);

-- An item, or a folder with all below it, that is moved counts where it lies now. A folder may be 32 deep.
CREATE TRIGGER items_between_folders AFTER UPDATE OF folder_id ON items
WHEN NEW.folder_id IS NOT OLD.folder_id AND NEW.directory_of IS NULL AND NEW.removed_at IS NULL BEGIN
  UPDATE folders SET items = items - 1 WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT OLD.folder_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
  UPDATE folders SET items = items + 1 WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT NEW.folder_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
END;

CREATE TRIGGER folders_between_folders AFTER UPDATE OF parent_id ON folders
WHEN NEW.parent_id IS NOT OLD.parent_id BEGIN
  UPDATE folders SET items = items - NEW.items WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT OLD.parent_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
  UPDATE folders SET items = items + NEW.items WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT NEW.parent_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
END;
