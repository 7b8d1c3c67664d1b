import type { FolderFiles, FolderOptions } from './folder/folder-files.ts'
import type { StateStore } from './stores/state-store.ts'

/** In place of `node-files.ts` where there are no files: browsers and Workers. */
export async function openFileStore(_folder?: string): Promise<StateStore | undefined> {
  return undefined
}

export async function filesOfFolder(_path: string, _options: FolderOptions): Promise<FolderFiles | undefined> {
  return undefined
}
