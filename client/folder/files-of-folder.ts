import { basename, resolve } from 'node:path'
import { MAX_ESTIMATED_FILES } from '../../contract/limits.ts'
import { HooklineError } from '../http/api-error.ts'
import { type FileFault, InvalidFilesError } from '../store/put-plan.ts'
import type { FolderFiles, FolderOptions } from './folder-files.ts'
import { listFolder } from './list-folder.ts'
import { localSource } from './local-source.ts'

/**
 * The files of a folder on this machine; each is opened when it is sent.
 * @throws {InvalidFilesError} lists all files that cannot be read; {HooklineError} `invalid_files` if there is no such
 * folder
 */
export async function filesOfFolder(path: string, { hidden = false, signal }: FolderOptions): Promise<FolderFiles> {
  const folder = resolve(path)
  const options = { hidden, maxFiles: MAX_ESTIMATED_FILES, signal: signal ?? new AbortController().signal }
  const { files, emptyFolders, skipped } = await listFolder(folder, options).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')))
      throw error
    throw new HooklineError('invalid_files', `There is no folder ${JSON.stringify(path)}.`, error)
  })
  const faults = files.flatMap(({ path: own, unreadable, misnamed }): FileFault[] => {
    if (misnamed) return [{ path: own, problem: 'has a name that is not valid UTF-8' }]
    return unreadable ? [{ path: own, problem: 'may not be read' }] : []
  })
  if (faults.length > 0) throw new InvalidFilesError(faults)
  return {
    name: basename(folder),
    files: files.map(({ path: own, source, size }) => ({ path: own, content: localSource(source, size) })),
    emptyFolders,
    skipped,
  }
}
