/** Everything that needs a file system: Node, Deno and Bun. */
export { filesOfFolder } from './folder/files-of-folder.ts'
export { compressedSize } from './store/compressed-size.ts'
export { openFileStore } from './stores/file-store.ts'
