import type { CID } from 'multiformats/cid'
import { toHex } from '../../protocol/bytes.ts'
import type { BlockStore } from '../../reader/ipfs/block-source.ts'
import type { Database } from '../database.ts'

/** Bytes that wait to be written at once. */
const MAX_UNSAVED = 8 << 20

/**
 * The page's database as the reader's block store, for one read. Blocks go to the database many in a transaction, and
 * what is shown does not wait for it. What comes out of the database is hashed again by the reader.
 */
export class KeptBlocks implements BlockStore {
  readonly #database: Database
  readonly #kept = new Map<string, Uint8Array>()
  readonly #unsaved = new Map<string, Uint8Array>()
  #unsavedBytes = 0

  constructor(database: Database) {
    this.#database = database
  }

  async get(cid: CID): Promise<Uint8Array | undefined> {
    const key = blockKey(cid)
    const unsaved = this.#unsaved.get(key)
    if (unsaved) return unsaved
    const [bytes] = await this.#database.get([key])
    if (bytes) this.#kept.set(key, bytes)
    return bytes
  }

  async put(cid: CID, bytes: Uint8Array): Promise<void> {
    const key = blockKey(cid)
    const kept = this.#kept.get(key)
    this.#kept.delete(key)
    if (kept === bytes || this.#unsaved.has(key)) return
    // The database keeps what it has: broken bytes have to go first.
    if (kept) await this.#database.delete([key])
    this.#unsaved.set(key, bytes)
    this.#unsavedBytes += bytes.length
    if (this.#unsavedBytes > MAX_UNSAVED) this.save()
  }

  /** Writes what waits. */
  save(): void {
    if (this.#unsaved.size > 0) void this.#database.put([...this.#unsaved])
    this.#unsaved.clear()
    this.#unsavedBytes = 0
  }
}

/** The database key of a block: its CID, version 1, in base 16. */
function blockKey(cid: CID): string {
  return `f${toHex(cid.toV1().bytes)}`
}
