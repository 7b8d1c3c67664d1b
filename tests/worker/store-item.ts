import { env } from 'cloudflare:workers'
import type { StorageTarget } from '../../protocol/chains.ts'

/** Inserts an item whose content is stored already; returns its object id. */
export async function storeItem(options: {
  blockchain: StorageTarget
  mimetype?: string
  status?: number
  txids?: readonly string[]
  cid?: string
}): Promise<string> {
  const id = Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('hex')
  const { blockchain, mimetype = 'text/html', status = 200, txids, cid = null } = options
  const item = env.DB.prepare(
    `INSERT INTO items (id, user_id, name, mimetype, blockchain, size, stored_size, chunk_size, chunks, status, cid,
       created_at, updated_at)
     VALUES (?, 'somebody', 'site', ?, ?, 1, 1, 1, 1, ?, ?, 0, 0)`,
  ).bind(id, mimetype, blockchain, status, cid)
  const published = env.DB.prepare('INSERT INTO item_txids (item_id, txids) VALUES (?, ?)')
  await env.DB.batch(txids ? [item, published.bind(id, txids.join(''))] : [item])
  return id
}
