import type { StorageTarget } from '../../protocol/chains.ts'

/** `website`: one directory, one item, one CID. `files`: one item for each file. */
export type FolderForm = 'website' | 'files'

/**
 * The default form of a folder: one directory on IPFS; on a chain one website if it contains an `index.html`, whose
 * relative links would otherwise be broken, else one item for each file.
 */
export function formOfFolder(to: StorageTarget, files: readonly { path: string }[]): FolderForm {
  return to === 'IPFS' || files.some(({ path }) => path === 'index.html') ? 'website' : 'files'
}
