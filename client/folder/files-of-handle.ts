import { MAX_ESTIMATED_FILES } from '../../contract/limits.ts'
import { decodeText } from '../../protocol/decode-text.ts'
import { HooklineError } from '../http/api-error.ts'
import type { PutFile } from '../store/put-plan.ts'
import type { FolderFiles, FolderHandle, FolderOptions, SkippedPath } from './folder-files.ts'
import { type IgnoreRules, isIgnored, rulesWith, unreadableRules } from './ignored-paths.ts'
import { IGNORE_FILE, isDesktopFile, whyLeftOut } from './left-out.ts'

/**
 * The files of a folder that a person opened in a page (File System API), ordered by path, without what
 * `.hooklineignore` matches.
 * @throws {HooklineError} `invalid_files`
 */
export async function filesOfHandle(
  root: FolderHandle,
  { hidden = false, signal }: FolderOptions,
): Promise<FolderFiles> {
  const files: PutFile[] = []
  const emptyFolders: string[] = []
  const skipped: SkippedPath[] = []
  const count = () => files.length + emptyFolders.length
  // Returns whether there is anything in the folder, and only files of the desktop.
  const walk = async (folder: FolderHandle, below: string, above: readonly IgnoreRules[]): Promise<boolean> => {
    let [desktop, others] = [0, 0]
    const place = { below, path: pathIn(below, IGNORE_FILE) }
    const rules = rulesWith(await textOfRules(folder, place.path), place, above)
    for await (const handle of folder.values()) {
      signal?.throwIfAborted()
      const path = pathIn(below, handle.name)
      const isFolder = handle.kind === 'directory'
      const ignored = isIgnored(path, isFolder, rules) ? `named in ${IGNORE_FILE}` : undefined
      const why = whyLeftOut(handle.name, hidden) ?? ignored
      if (isDesktopFile(handle.name)) desktop++
      else others++
      if (why !== undefined) skipped.push({ path, why })
      else if (isFolder) {
        const before = count()
        if (await walk(handle, path, rules)) {
          desktop++
          others--
        } else if (count() === before) emptyFolders.push(path)
      } else files.push({ path, content: await handle.getFile() })
      if (count() > MAX_ESTIMATED_FILES) {
        throw new HooklineError(
          'invalid_files',
          `There are more than ${MAX_ESTIMATED_FILES} files. Split them into several orders.`,
        )
      }
    }
    return desktop > 0 && others === 0
  }
  await walk(root, '', [])
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { name: root.name, files, emptyFolders: emptyFolders.sort(), skipped }
}

const pathIn = (below: string, name: string) => (below === '' ? name : `${below}/${name}`)

async function textOfRules(folder: FolderHandle, path: string): Promise<string | undefined> {
  try {
    const file = await (await folder.getFileHandle(IGNORE_FILE)).getFile()
    return decodeText(new Uint8Array(await file.arrayBuffer()))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotFoundError') return undefined
    throw unreadableRules(path, error)
  }
}
