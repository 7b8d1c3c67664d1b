import type { StorageTarget } from '../../protocol/chains.ts'

/** `website`: one directory, one item, one CID. `files`: each file is an item of its own. */
export type FolderForm = 'website' | 'files'

/**
 * What a folder becomes where nobody says: one directory on IPFS; on a chain one website where an `index.html` is in it, whose
 * links to the files beside it lead nowhere otherwise, and else an item for each file.
 */
export function formOfFolder(to: StorageTarget, files: readonly { path: string }[]): FolderForm {
  return to === 'IPFS' || files.some(({ path }) => path === 'index.html') ? 'website' : 'files'
}
