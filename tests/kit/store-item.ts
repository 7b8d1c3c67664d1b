import type { StorageTarget } from '../../protocol/chains.ts'

/** The part of D1 that inserting needs: Miniflare's and the Worker's own are of two types. */
interface Database<S extends { bind(...values: unknown[]): S }> {
  prepare(query: string): S
  batch(statements: S[]): Promise<unknown>
}

export interface ItemFields {
  blockchain: StorageTarget
  mimetype?: string
  /** The number in the row (docs/behaviour/items.md, "States"); 200 is stored. */
  status?: number
  txids?: readonly string[]
  cid?: string
  /** Whose it is. */
  owner?: string
  name?: string
}

/** Inserts an item whose content is stored already; returns its object id. */
export async function storeItem<S extends { bind(...values: unknown[]): S }>(
  db: Database<S>,
  { blockchain, mimetype = 'text/html', status = 200, txids, cid, owner = 'somebody', name = 'site' }: ItemFields,
): Promise<string> {
  const id = Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('hex')
  const item = db
    .prepare(
      `INSERT INTO items (id, user_id, name, mimetype, blockchain, size, stored_size, chunk_size, chunks, status, cid,
         created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, 1, 1, 1, 1, ?, ?, 0, 0)`,
    )
    .bind(id, owner, name, mimetype, blockchain, status, cid ?? null)
  const published = db.prepare('INSERT INTO item_txids (item_id, txids) VALUES (?, ?)')
  await db.batch(txids ? [item, published.bind(id, txids.join(''))] : [item])
  return id
}
