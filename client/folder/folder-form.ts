import type { StorageTarget } from '../../protocol/chains.ts'
import { findIndexName } from '../../protocol/site-index.ts'

/** `website`: one directory, one item, one CID. `files`: one item for each file. */
export type FolderForm = 'website' | 'files'

/**
 * The default form of a folder: one directory on IPFS; on a chain one website if it contains a first page, such as
 * `index.html` ({@link findIndexName}), whose relative links would otherwise be broken, else one item for each file.
 */
export function formOfFolder(to: StorageTarget, files: readonly { path: string }[]): FolderForm {
  return to === 'IPFS' || findIndexName(files.map(({ path }) => path)) !== undefined ? 'website' : 'files'
}
