import { HooklineError } from '../http/api-error.ts'
import type { FolderFiles, FolderOptions } from './folder-files.ts'

const MAX_FILES = 10_000
/** Never stored, as by the command. */
const LEFT_OUT = new Set(['.git', 'node_modules', '.DS_Store', 'Thumbs.db', 'desktop.ini', '.hookline.json'])

/** The files of a folder that a person opened in a page (File System API). @throws {HooklineError} `invalid_files` */
export async function filesOfHandle(
  root: FileSystemDirectoryHandle,
  { hidden = false, signal }: FolderOptions,
): Promise<FolderFiles> {
  const found: FolderFiles & { skipped: { path: string; why: string }[] } = { name: root.name, files: [], skipped: [] }
  const walk = async (folder: FileSystemDirectoryHandle, below: string): Promise<void> => {
    for await (const handle of folder.values()) {
      signal?.throwIfAborted()
      const { name } = handle
      const path = `${below}${name}`
      const isHidden = name.startsWith('.') && name !== '.well-known' && !hidden
      if (isHidden || LEFT_OUT.has(name)) {
        found.skipped.push({ path, why: isHidden ? 'hidden (its name begins with a dot)' : 'never stored' })
      } else if (handle instanceof FileSystemDirectoryHandle) await walk(handle, `${path}/`)
      else if (found.files.length >= MAX_FILES) {
        throw new HooklineError('invalid_files', `There are more than ${MAX_FILES} files, the most of one order.`)
      } else if (handle instanceof FileSystemFileHandle) found.files.push({ path, content: await handle.getFile() })
    }
  }
  await walk(root, '')
  return { ...found, files: found.files.sort((a, b) => (a.path < b.path ? -1 : 1)) }
}
