import { BaseBlockstore } from 'blockstore-core/base'
import type { CID } from 'multiformats/cid'
import { concatBytes, toHex } from '../../protocol/bytes.ts'
import type { Database } from '../database.ts'

type Blocks = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Whether bytes are the block of a CID. */
export type VerifyBlock = (cid: CID, bytes: Uint8Array) => Promise<boolean>

/**
 * The page's database as Helia's block store. Blocks stay in memory while anything is being read, since reading
 * asks for each several times, and go to the database in one transaction afterwards. What comes out of the database
 * is hashed again.
 */
export class KeptBlocks extends BaseBlockstore {
  readonly #database: Database
  readonly #verify: VerifyBlock
  readonly #memory = new Map<string, Uint8Array>()
  readonly #unsaved = new Set<string>()
  #readers = 0

  constructor(database: Database, verify: VerifyBlock) {
    super()
    this.#database = database
    this.#verify = verify
  }

  /** Runs `read` with blocks kept in memory until it, and all that run beside it, are done. */
  async during<Result>(read: () => Promise<Result>): Promise<Result> {
    this.#readers++
    try {
      return await read()
    } finally {
      const fresh = [...this.#unsaved].flatMap((key) => {
        const bytes = this.#memory.get(key)
        return bytes ? [[key, bytes] as const] : []
      })
      this.#unsaved.clear()
      // What is shown does not wait for what is kept.
      if (fresh.length > 0) void this.#database.put(fresh)
      if (--this.#readers === 0) this.#memory.clear()
    }
  }

  override async put(cid: CID, block: Blocks): Promise<CID> {
    const parts: Uint8Array[] = []
    if (block instanceof Uint8Array) parts.push(block)
    else for await (const part of block) parts.push(part)
    const key = blockKey(cid)
    this.#memory.set(key, concatBytes(parts))
    this.#unsaved.add(key)
    return cid
  }

  override async has(cid: CID): Promise<boolean> {
    return (await this.#find(cid)) !== undefined
  }

  override async *get(cid: CID): AsyncGenerator<Uint8Array> {
    const bytes = await this.#find(cid)
    if (!bytes) throw Object.assign(new Error('block not found'), { name: 'NotFoundError' })
    yield bytes
  }

  override async delete(cid: CID): Promise<void> {
    this.#memory.delete(blockKey(cid))
    await this.#database.delete([blockKey(cid)])
  }

  async #find(cid: CID): Promise<Uint8Array | undefined> {
    const key = blockKey(cid)
    const held = this.#memory.get(key)
    if (held) return held
    const [bytes] = await this.#database.get([key])
    if (!bytes) return undefined
    if (!(await this.#verify(cid, bytes))) {
      await this.#database.delete([key])
      return undefined
    }
    if (this.#readers > 0) this.#memory.set(key, bytes)
    return bytes
  }
}

/** The database key of a block: its CID, version 1, in base 16. */
function blockKey(cid: CID): string {
  return `f${toHex(cid.toV1().bytes)}`
}
