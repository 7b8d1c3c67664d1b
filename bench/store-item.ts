import { randomBytes } from 'node:crypto'
import type { Miniflare } from 'miniflare'

/** Puts an item that is stored on Nativecoin into D1; returns its object id. */
export async function storeItem(
  miniflare: Miniflare,
  txids: readonly string[],
  mimetype = 'video/mp4',
): Promise<string> {
  const db = await miniflare.getD1Database('DB')
  const id = randomBytes(12).toString('hex')
  await db.batch([
    db
      .prepare(
        `INSERT INTO items (id, user_id, name, mimetype, blockchain, size, stored_size, chunk_size, chunks, status,
           created_at, updated_at)
         VALUES (?, 'bench', 'file', ?, 'Nativecoin', 1, 1, 1, 1, 200, 0, 0)`,
      )
      .bind(id, mimetype),
    db.prepare('INSERT INTO item_txids (item_id, txids) VALUES (?, ?)').bind(id, txids.join('')),
  ])
  return id
}
