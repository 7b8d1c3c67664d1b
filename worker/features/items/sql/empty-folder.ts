/** The SQL condition that nothing is in a folder, and that it was not merged. */
export const EMPTY_FOLDER = `NOT EXISTS (SELECT 1 FROM items i WHERE i.folder_id = folders.id AND i.removed_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM items d WHERE d.directory_of = folders.id AND d.removed_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM folders f WHERE f.parent_id = folders.id)`
