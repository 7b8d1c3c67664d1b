import { unpackHeights } from '../../worker/features/items/sql/height-runs.ts'
import type { World } from './world.ts'

/**
 * What is stored and that nothing can undo is folded: the heights that stay are those of the blocks on the chain, no row of its
 * transactions is left, and no search of the wallet takes them for somebody else's.
 */
export function checkFolded(world: World): string[] {
  const { d1, node } = world
  const problems: string[] = []
  const folds = d1.rows(
    `SELECT item_id, lower(hex(packed)) AS txids, heights, folded_height, folded_hash FROM item_txids JOIN writes USING (item_id)
     WHERE packed IS NOT NULL`,
  )
  if (folds.length > 0) world.count('the heights of what is folded')
  const strangers = new Set(d1.rows('SELECT txid FROM sends').map(({ txid }) => txid))
  for (const { item_id, txids, heights, folded_height, folded_hash } of folds) {
    const name = `item ${item_id}, which is folded,`
    const own = String(txids).match(/.{64}/g) ?? []
    const blocks = own.map((txid) => node.chain.confirmed.get(txid)?.block)
    if (unpackHeights(String(heights)).join() !== blocks.map((block) => block?.height).join())
      problems.push(`${name} has other heights than ${heights}`)
    const top = blocks.reduce((a, b) => ((b?.height ?? 0) > (a?.height ?? 0) ? b : a), blocks[0])
    if (top?.height !== folded_height || top?.hash !== folded_hash) problems.push(`${name} has another highest block`)
    const rows = d1.rows(`SELECT 1 FROM transactions WHERE item_id = ? AND state != 'dead'`, String(item_id))
    if (rows.length > 0) problems.push(`${name} has ${rows.length} transactions left`)
    const taken = own.filter((txid) => strangers.has(txid))
    if (taken.length > 0) problems.push(`${name} has transactions that are listed as unknown sends: ${taken}`)
  }
  // A bump that no miner takes, as where all that it was for was mined without it, spends what is not folded until it is mined.
  const left = d1.rows(
    `SELECT writes.item_id FROM writes JOIN items ON items.id = IFNULL(index_of, writes.item_id)
     WHERE writes.state = 'done' AND status = 200 AND fold_from IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM transactions AS own JOIN transactions AS bump USING (blockchain, tx_chain)
       WHERE own.item_id = writes.item_id AND bump.seq > own.seq AND bump.state = 'sent'
         AND bump.item_id IS NULL AND bump.withdrawal_id IS NULL)`,
  )
  if (!world.agent && left.length > 0) problems.push(`not folded: ${left.map(({ item_id }) => item_id)}`)
  return problems
}
