/** Everything of items that needs the IPFS libraries: loaded by the first that asks, not by every Worker that starts. */
export { dropAllBlocks, PENDING_PREFIX } from '../../../content/ipfs/blocks/pending-blocks.ts'
export { buildDag, importUpload } from './import-upload.ts'
export { mergeDirectory } from './merge-directory.ts'
