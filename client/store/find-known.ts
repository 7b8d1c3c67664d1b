import { sha256 } from '@noble/hashes/sha2.js'
import { MAX_WANTED_FILES } from '../../contract/limits.ts'
import { toHex } from '../../protocol/bytes.ts'
import { folderManifest } from '../../protocol/folder-manifest.ts'
import { ApiError } from '../http/api-error.ts'
import type { KnownItem } from '../types.ts'
import type { PutOrder } from './put-order.ts'

/**
 * Adds to the order what the account has already stored. It is neither created nor sent again, and what was paid is not
 * paid again. Unpaid items are resumed.
 */
export async function reuseKnown(upload: PutOrder): Promise<void> {
  try {
    await (upload.directory === undefined ? reuseFiles(upload) : reuseDirectory(upload))
  } catch (error) {
    // A key may lack the scope. Then every file is sent.
    if (!(error instanceof ApiError && error.status === 403)) throw error
  }
}

async function reuseFiles({ items, journal, files, hashes, to, signal }: PutOrder): Promise<void> {
  for (let start = 0; start < files.length; start += MAX_WANTED_FILES) {
    const asked = files.slice(start, start + MAX_WANTED_FILES).map(({ source, mimetype }, position) => {
      return { size: source.size, sha256: hashes[start + position] ?? '', mimetype }
    })
    const known = await items.known({ blockchain: to, files: asked }, { signal })
    const taken = new Set<string>()
    const own = known.filter(({ index, id }) => {
      // Two files with the same content are two items; one existing item matches only one of them.
      if (index === undefined || index >= asked.length || taken.has(id)) return false
      taken.add(id)
      return true
    })
    if (own.length === 0) continue
    const indexes = own.map(({ index = 0 }) => start + index)
    const entries = own.map(({ id }, position) => [indexes[position] ?? 0, id, 1, 0] as const)
    await journal.write({ kind: 'known', entries, paid: own.filter(isPaid).map(({ id }) => id) })
  }
}

async function reuseDirectory({ items, journal, files, emptyFolders, hashes, to, signal }: PutOrder): Promise<void> {
  const manifest = folderManifest(
    files.map(({ path, source }, index) => ({ path, size: source.size, sha256: hashes[index] ?? '' })),
    emptyFolders,
  )
  const known = await items.known({ blockchain: to, manifest: toHex(sha256(manifest)) }, { signal })
  const [own] = known.filter(({ index }) => index === undefined)
  if (!own) return
  if (isPaid(own)) await journal.write({ kind: 'paid', ids: [own.id] })
  await journal.write({ kind: 'directory', id: own.id, known: true })
}

const isPaid = ({ status }: KnownItem) => status === '200 OK' || status === '202 Accepted'
