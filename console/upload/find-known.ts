import { toHex } from '../../protocol/bytes.ts'
import type { StorageTarget } from '../../protocol/chains.ts'
import { folderManifest } from '../../protocol/folder-manifest.ts'
import { api, type Schemas } from '../api/client.ts'
import { isWhole } from '../core/order.ts'
import type { Chosen } from './chosen.ts'

/** Most bytes to hash in all: one file at a time is in memory, and nobody should wait long. */
const MAX_BYTES = 64 * 2 ** 20
const MAX_FILES = 500

/** Hashes of this tab. */
const known = new WeakMap<Blob, string>()

/** What the account has of the chosen files: by path; a folder by its own path. */
export type KnownFiles = ReadonlyMap<string, Schemas['KnownItem']>

/**
 * The items of the account with the chosen files, or with their folder.
 * @throws {HooklineError}
 */
export async function findKnown(
  files: readonly Chosen[],
  blockchain: StorageTarget,
  website: boolean | undefined,
): Promise<KnownFiles> {
  const found = new Map<string, Schemas['KnownItem']>()
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (files.length === 0 || files.length > MAX_FILES || bytes > MAX_BYTES) return found
  const hashes: string[] = []
  for (const { source } of files) hashes.push(await hashOf(source.file))
  const folder = isWhole({ blockchain, website }) ? folderOf(files) : undefined
  const manifest =
    folder !== undefined &&
    toHex(
      await sha256(
        folderManifest(
          files.map(({ path, size }, index) => ({
            path: path.slice(folder.length + 1),
            size,
            sha256: hashes[index] ?? '',
          })),
        ),
      ),
    )
  const asked = files.map(({ size, mimetype }, index) => ({ size, mimetype, sha256: hashes[index] ?? '' }))
  const body = { blockchain, ...(manifest ? { manifest } : { files: asked }) }
  for (const item of (await api.POST('/v0/item/known', { body })).known) {
    const path = item.index === undefined ? folder : files[item.index]?.path
    if (path !== undefined && !found.has(path)) found.set(path, item)
  }
  return found
}

/** The only top folder of all files. */
function folderOf(files: readonly Chosen[]): string | undefined {
  const [first = ''] = files[0]?.path.split('/') ?? []
  return files.every(({ path }) => path.startsWith(`${first}/`)) ? first : undefined
}

async function hashOf(file: Blob): Promise<string> {
  const hash = known.get(file) ?? toHex(await sha256(new Uint8Array(await file.arrayBuffer())))
  known.set(file, hash)
  return hash
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}
