import { concatBytes } from './bytes.ts'

/** A file of a folder: its path below the folder with `/` between names, its bytes, and their SHA-256 in lowercase hex. */
export interface ManifestFile {
  path: string
  size: number
  sha256: string
}

/**
 * The manifest of a folder, whose SHA-256 names what is in it (docs/behaviour/orders.md): a line `path\0size\0sha256\n`
 * for each file and `path/\0\0\n` for each folder that nothing is in, in UTF-8, sorted by their bytes, as `LC_ALL=C sort`
 * does. Pure.
 */
export function folderManifest(
  files: readonly ManifestFile[],
  emptyFolders: readonly string[] = [],
): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const lines = [
    ...files.map(({ path, size, sha256 }) => `${path}\0${size}\0${sha256}\n`),
    ...emptyFolders.map((path) => `${path}/\0\0\n`),
  ]
    .map((line) => encoder.encode(line))
    .sort(compareBytes)
  return concatBytes(lines)
}

function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}
