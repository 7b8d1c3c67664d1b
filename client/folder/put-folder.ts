import { HooklineError } from '../http/api-error.ts'
import type { PutOptions, PutResult } from '../store/put.ts'
import type { PutFile } from '../store/put-plan.ts'
import type { FolderFiles, FolderHandle, FolderOptions, SkippedPath } from './folder-files.ts'
import { type FolderForm, formOfFolder } from './folder-form.ts'

export type PutFolderOptions = PutOptions & FolderOptions & { as?: FolderForm | undefined }

export interface PutFolderResult extends PutResult {
  skipped: readonly SkippedPath[]
}

/**
 * Stores the files of a folder, as one directory of its name or as one item each ({@link formOfFolder}).
 * @throws {HooklineError} what `put` throws; `no_files` if the runtime has no file system
 */
export async function putFolder(
  put: (files: readonly PutFile[], options: PutOptions) => Promise<PutResult>,
  folder: string | FolderHandle,
  options: PutFolderOptions,
): Promise<PutFolderResult> {
  const { name, files, emptyFolders, skipped } =
    typeof folder === 'string' ? await readPath(folder, options) : await readHandle(folder, options)
  const { as, ...others } = options
  const form = as ?? (others.directory === undefined ? formOfFolder(others.to, files) : 'website')
  const directory = form === 'website' ? (others.directory ?? name) : undefined
  return { ...(await put(files, { ...others, directory, ...(directory !== undefined && { emptyFolders }) })), skipped }
}

async function readPath(path: string, options: FolderOptions): Promise<FolderFiles> {
  const { filesOfFolder } = await import('../node-files.ts')
  const found = await filesOfFolder(path, options)
  if (found) return found
  throw new HooklineError('no_files', 'This runtime has no file system: give a FileSystemDirectoryHandle, or use put.')
}

async function readHandle(handle: FolderHandle, options: FolderOptions): Promise<FolderFiles> {
  const { filesOfHandle } = await import('./files-of-handle.ts')
  return filesOfHandle(handle, options)
}
