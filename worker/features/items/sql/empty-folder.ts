/** The SQL condition that no item is in a folder, and that it was not merged. */
export const NO_ITEM_IN_FOLDER = `NOT EXISTS (SELECT 1 FROM items i WHERE i.folder_id = folders.id AND i.removed_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM items d WHERE d.directory_of = folders.id AND d.removed_at IS NULL)`

/** The SQL condition that nothing is in a folder, and that it was not merged. */
export const EMPTY_FOLDER = `${NO_ITEM_IN_FOLDER}
  AND NOT EXISTS (SELECT 1 FROM folders f WHERE f.parent_id = folders.id)`
