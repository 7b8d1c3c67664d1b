import type { LedgerTransaction } from '../../devnet/ledger-transaction.ts'
import type { World } from './world.ts'

/** As what withdrawals end without a transaction: what was signed for one may not come any more. */
const ENDED = new Set(['cancelled', 'refunded', 'paid_elsewhere'])

/** Notes how deep everything of the last blocks is. */
export function noteDepths(world: World): void {
  const { chain } = world.node
  for (const block of chain.active.slice(-12)) {
    const depth = chain.confirmations(block)
    for (const { txid } of block.transactions) {
      if ((world.depths.get(txid) ?? 0) < depth) world.depths.set(txid, depth)
    }
  }
  // What a miner is paid takes longer.
  for (const { txid, isReward } of world.payments) {
    const block = isReward ? chain.confirmed.get(txid)?.block : undefined
    if (block) world.depths.set(txid, Math.max(world.depths.get(txid) ?? 0, chain.confirmations(block)))
  }
}

/** Notes what withdrawals and addresses there are. */
export function noteAsked(world: World): void {
  for (const row of world.d1.rows('SELECT * FROM addresses')) world.given.set(String(row.script), row)

  const rows = world.d1.rows('SELECT id, user_id, script, amount, state FROM withdrawals')
  for (const { id, user_id, script, amount, state } of rows) {
    if (ENDED.has(String(state))) world.ended.set(String(id), String(state))
    const asked = { id: String(id), userId: String(user_id), script: String(script), amount: BigInt(String(amount)) }
    if (!world.asked.has(asked.id)) world.asked.set(asked.id, asked)
  }
}

/** Remembers what waits, so that a miner may have it after our node has thrown it out. */
export function watchMempool(world: World): void {
  for (const [txid, { transaction }] of world.node.mempool.entries) world.seen.set(txid, transaction)
}

/** A transaction that waited or is in a block, now or once. */
export function transactionOf(world: World, txid: string): LedgerTransaction | undefined {
  return world.node.chain.confirmed.get(txid)?.transaction ?? world.seen.get(txid)
}

/** What waited once, and is neither waiting nor in a block now. */
export function evictedOf(world: World): LedgerTransaction[] {
  const { mempool, chain } = world.node
  return [...world.seen.values()].filter(({ txid }) => !mempool.entries.has(txid) && !chain.confirmed.has(txid))
}
