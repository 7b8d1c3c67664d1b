import { randomBytes } from 'node:crypto'
import type { Miniflare } from 'miniflare'

/** Puts an item that is stored on Nativecoin into D1; returns its object id. */
export async function storeItem(miniflare: Miniflare, txids: readonly string[]): Promise<string> {
  const db = await miniflare.getD1Database('DB')
  const id = randomBytes(12).toString('hex')
  await db.batch([
    db
      .prepare(
        `INSERT INTO items (id, user_id, name, mimetype, blockchain, size, stored_size, chunk_size, chunks, status,
           created_at, updated_at)
         VALUES (?, 'bench', 'video', 'video/mp4', 'Nativecoin', 1, 1, 1, 1, 200, 0, 0)`,
      )
      .bind(id),
    db.prepare('INSERT INTO item_txids (item_id, txids) VALUES (?, ?)').bind(id, txids.join('')),
  ])
  return id
}
