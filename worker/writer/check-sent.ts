import { fromHex } from '../../protocol/bytes.ts'
import { decodeTransaction } from '../../protocol/transaction.ts'
import { readBlocks } from '../chain/block-methods.ts'
import { readInMempool, readUnspent, readWalletTransactions } from '../chain/transaction-methods.ts'
import type { AgentContext } from '../chain-follower/agent-context.ts'
import { type BlockPosition, selectHeights } from '../storage/chain/blocks.ts'
import { batchIf } from '../storage/guarded-batch.ts'
import { stopItemsStatements } from '../storage/items/move-items.ts'
import { closeLanesStatement } from '../storage/writes/lanes.ts'
import { getSigned } from '../storage/writes/signed-bytes.ts'
import { markMinedStatements, markSentStatement } from '../storage/writes/transaction-states.ts'
import type { OwnTransaction } from '../storage/writes/transactions.ts'
import { clearReplannedStatement, selectReplanned } from '../storage/writes/writes.ts'
import { followersOf, giveUp } from './give-up.ts'
import { sendAll } from './send-transactions.ts'

const SPENT_ELSEWHERE =
  'An output that its transactions spend was spent by somebody else with the wallet. Retry to write the rest anew.'

/**
 * Looks after transactions that a block has passed by: what the mempool lost is sent again, the same bytes; what is
 * in a block after all is put there; what can't come any more, because its coin is gone, stops its item.
 */
export async function checkSent(
  context: AgentContext,
  tip: BlockPosition,
  unmined: readonly OwnTransaction[],
  orphaned: readonly OwnTransaction[],
): Promise<void> {
  const { db, rpc, blockchain } = context
  const due = unmined.filter(({ state, checkedHeight }) => state === 'sent' && (checkedHeight ?? 0) < tip.height)
  const waiting = await readInMempool(rpc, ids(due))
  if (waiting.size > 0) await markSentStatement(db, blockchain, [...waiting], tip.height).run()
  const gone = due.filter(({ txid }) => !waiting.has(txid))
  const doubtful = [...gone, ...orphaned.filter(({ txid }) => !gone.some((one) => one.txid === txid))]
  if (doubtful.length === 0) return
  const lookedUp = await lookUp(context, doubtful)
  const again = gone.filter(({ txid }) => !lookedUp.has(txid)).sort((a, b) => a.seq - b.seq || a.lane - b.lane)
  const report = await sendAll(context, tip, again, unmined)
  const lost = [...report.orphaned, ...orphaned].filter(({ txid }) => !lookedUp.has(txid))
  for (const transaction of lost) await giveUpIfSpent(context, transaction, unmined)
}

function ids(transactions: readonly OwnTransaction[]): string[] {
  return transactions.map(({ txid }) => txid)
}

/** Puts those into their block that the wallet knows in one that we followed; says which are in any. */
async function lookUp(context: AgentContext, transactions: readonly OwnTransaction[]): Promise<Set<string>> {
  const { db, rpc, blockchain } = context
  const txids = ids(transactions)
  const known = await readWalletTransactions(rpc, txids)
  const hashes = known.flatMap((one) => one?.blockHash ?? [])
  const heights = await selectHeights(db, blockchain, [...new Set(hashes)])
  const mined: (BlockPosition & { txid: string })[] = []
  if (heights.size > 0) {
    const asked = new Set(txids)
    for (const { hash, txids: contained } of await readBlocks(rpc, [...heights.keys()])) {
      const height = heights.get(hash)
      if (height === undefined) continue
      for (const txid of contained) if (asked.has(txid)) mined.push({ txid, hash, height })
    }
  }
  if (mined.length > 0) await db.batch(markMinedStatements(db, blockchain, mined))
  // In a block that was not followed yet: it is not lost, and found there when it is.
  return new Set(txids.filter((_, index) => (known[index]?.confirmations ?? 0) > 0))
}

/**
 * Stops the items of a transaction whose input is spent by another one in a block, or came from a transaction that
 * is gone; after an operator's retry, makes their transactions anew instead.
 */
async function giveUpIfSpent(
  context: AgentContext,
  transaction: OwnTransaction,
  unmined: readonly OwnTransaction[],
): Promise<void> {
  const { db, bucket, rpc, blockchain, now } = context
  const [hex] = await getSigned(bucket, [transaction])
  // What can't be sent again is ended where it would be sent.
  if (hex === undefined) return
  const { inputs } = decodeTransaction(fromHex(hex) ?? new Uint8Array(0))
  const [parents, unspent] = [
    await readWalletTransactions(
      rpc,
      inputs.map(({ txid }) => txid),
    ),
    await readUnspent(rpc, inputs),
  ]
  const spent = inputs.some((_, index) => {
    const parent = parents[index]
    // A parent that waits for a block is no proof of anything.
    return !unspent[index] && (parent === undefined || parent.confirmations !== 0)
  })
  // It may be itself that spent them: another miner's block came since it was looked up.
  if (!spent || (await lookUp(context, [transaction])).size > 0) return
  const followers = followersOf(unmined, transaction)
  const itemIds = [...new Set(followers.flatMap(({ itemId }) => itemId ?? []))]
  if ((await selectReplanned(db, itemIds)).length > 0 || itemIds.length === 0) {
    // The lane ends here: what it would go on from is the very output that is gone.
    await batchIf(db, [
      ...giveUp(db, blockchain, followers),
      closeLanesStatement(db, blockchain, [transaction.lane]),
      clearReplannedStatement(db, itemIds),
    ])
    return
  }
  console.error('transaction_lost', blockchain, transaction.txid, 'what it spends is gone')
  await batchIf(db, stopItemsStatements(db, itemIds, 'parked', SPENT_ELSEWHERE, now))
}
