/** The names of the objects' folders, which never change: they are where the data is. */
export const KEYS = {
  database: 'database',
  bucket: 'bucket',
  clock: 'clock',
} as const

/** The name of the object that is the database. */
export const DATABASE = 'hookline'

/** The folder of a class of the main Worker. */
export function keyOfClass(className: string): string {
  return `main-${className}`
}

/** Every folder below `objects/`. */
export const FOLDERS = [...Object.values(KEYS), ...['ChainAgent', 'ContentFetcher', 'ItemMerger'].map(keyOfClass)]
