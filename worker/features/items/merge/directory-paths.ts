import type { Folder } from '../sql/folders.ts'

/**
 * What is in a folder: the path of each file below it, and of each folder that nothing is in; or the first name that two
 * things share.
 */
export type DirectoryPaths = { paths: Map<string, string>; empty: string[] } | { collision: string }

/**
 * The path of every file relative to `root`, by file id, with `/` between names. `folders` is the root's tree. Two
 * things of one name in one folder, files or folders, can't both be in a directory. Pure.
 */
export function directoryPaths(
  root: string,
  folders: readonly Folder[],
  files: readonly { id: string; folderId: string | null; name: string }[],
): DirectoryPaths {
  const byId = new Map(folders.map((folder) => [folder.id, folder]))
  const taken = new Set<string>()
  const paths = new Map<string, string>()
  const filled = new Set<string | null>()
  for (const folder of folders) if (folder.id !== root) taken.add(pathOf(root, byId, folder.parentId, folder.name))
  for (const file of files) {
    const path = pathOf(root, byId, file.folderId, file.name)
    if (taken.has(path)) return { collision: path }
    taken.add(path)
    paths.set(file.id, path)
    filled.add(file.folderId)
  }
  for (const { parentId } of folders) filled.add(parentId)
  const empty = folders.filter(({ id }) => id !== root && !filled.has(id))
  return { paths, empty: empty.map(({ parentId, name }) => pathOf(root, byId, parentId, name)) }
}

function pathOf(root: string, folders: ReadonlyMap<string, Folder>, parentId: string | null, name: string): string {
  const names = [name]
  for (let id = parentId; id !== null && id !== root; ) {
    const folder = folders.get(id)
    if (!folder) break
    names.unshift(folder.name)
    id = folder.parentId
  }
  return names.join('/')
}
