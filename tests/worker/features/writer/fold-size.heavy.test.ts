import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { foldItems } from '../../../../worker/features/writer/fold-items.ts'
import { settledHistory } from '../../../kit/settled-history.ts'
import { contextOf } from '../../agent-contexts.ts'

const ITEMS = 1_000
const TRANSACTIONS = 1_000
/** Items whose transactions are there at a time: they are folded before the next ones come. */
const AT_ONCE = 10
/** What 10^6 transactions may add, their items with all that belongs to those included. */
const MOST_BYTES = 60_000_000
const HEIGHT = 900_000

/** Adds to the one transaction of the item with this number all others, eight of its tx chains taking turns. */
async function addTransactions(n: number): Promise<void> {
  const id = `printf('%023x%x', ${n}, 1)`
  const numbers = `WITH RECURSIVE step (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM step WHERE k < ${TRANSACTIONS - 1})`
  const txid = `printf('%032x%032x', ${n} * 1000003 + k * 7919, k)`
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO transactions (blockchain, txid, tx_chain, seq, item_id, item_index, bundle, "offset", length, vsize, fee, change_vout,
         change_value, state, attempts, sent_height, checked_height, block_hash, block_height)
       ${numbers} SELECT 'Bitcoin', ${txid}, 1000000 + ${n}, k, ${id}, k, 'writer/Bitcoin/' || k / 100, 0, 250, 220, '220', 0, '99990000',
         'mined', 1, ${HEIGHT}, ${HEIGHT}, printf('%064x', k / 192), ${HEIGHT} + k / 192 FROM step`,
    ),
    env.DB.prepare(
      `UPDATE item_txids SET txids = (SELECT group_concat(txid, '') FROM (
         SELECT txid FROM transactions WHERE item_id = item_txids.item_id AND dead = 0 ORDER BY item_index))
       WHERE item_id = ${id}`,
    ),
    env.DB.prepare(`UPDATE writes SET transactions = ${TRANSACTIONS}, fold_from = ${HEIGHT} WHERE item_id = ${id}`),
    // No height of the history is above the others of its item.
    env.DB.prepare(
      `UPDATE transactions SET tx_chain = 1000000 + ${n}, seq = 0 WHERE item_id = ${id} AND item_index = 0`,
    ),
  ])
}

const size = async () => (await env.DB.prepare('SELECT 1').run()).meta.size_after

it('keeps 10^6 folded transactions in less than 60 MB more', { timeout: 1_200_000 }, async () => {
  const context = contextOf()
  const tip = { height: HEIGHT + 1_000, hash: 'f'.repeat(64) }
  await env.DB.batch([
    env.DB.prepare(`INSERT INTO blocks (blockchain, height, hash) VALUES ('Bitcoin', ?, ?)`).bind(tip.height, tip.hash),
    env.DB.prepare(`INSERT INTO wallet_scans (blockchain, hash, height, sends_known) VALUES ('Bitcoin', ?, ?, 1)`).bind(
      tip.hash,
      tip.height,
    ),
  ])
  const before = await size()
  for (const { sql, values } of settledHistory(ITEMS, 'Bitcoin', ['a'.repeat(64)]))
    await env.DB.prepare(sql)
      .bind(...values)
      .run()
  for (let n = 0; n < ITEMS; n += AT_ONCE) {
    for (let one = n; one < n + AT_ONCE; one++) await addTransactions(one)
    while (await foldItems({ ...context, now: Date.now() }, tip));
  }
  const left = await env.DB.prepare(
    'SELECT COUNT(*) AS n, (SELECT SUM(length(packed)) FROM item_txids) AS bytes FROM transactions',
  ).first()
  expect(left).toEqual({ n: 0, bytes: 32 * ITEMS * TRANSACTIONS })
  const more = (await size()) - before
  console.info(`${(more / 1e6).toFixed(1)} MB for ${ITEMS * TRANSACTIONS} folded transactions of ${ITEMS} items`)
  expect(more).toBeLessThan(MOST_BYTES)
})
