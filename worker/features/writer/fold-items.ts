import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { assertTipStatement, type BlockPosition, selectComparedHeight } from '../../chain/follower/blocks.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import {
  endVoidFold,
  type Fold,
  type Foldable,
  foldStatements,
  postponeFoldStatement,
  selectFoldable,
  selectUnfoldedTxids,
} from '../items/sql/folds.ts'
import { packHeights } from '../items/sql/height-runs.ts'
import {
  deleteFoldedStatements,
  type FoldedTransaction,
  selectIsLeft,
  selectToFold,
} from '../transactions/sql/folded-transactions.ts'

/** Items looked at in one step, and their transactions: at least one item, the largest has 15,000. */
const ITEMS = 20
const TRANSACTIONS = 5_000
/**
 * Blocks after which an item is checked again: `SOON` if transactions in open tx chains still depend on it or not all
 * of it is in blocks, `LATER` if its records do not agree.
 */
const SOON = 6
const LATER = 144

/**
 * Folds the transactions of stored items that no reorganisation reaches: of each stays its txid, the height of its block, and the
 * sums of sizes and fees. Only what the wallet was compared up to is folded: what the wallet lists afterwards is known for ours by
 * its row. `true` where more may be folded at once.
 */
export async function foldItems(context: AgentContext, tip: BlockPosition): Promise<boolean> {
  const { db, blockchain, config } = context
  const compared = await selectComparedHeight(db, blockchain)
  if (compared === undefined) return false
  const height = Math.min(tip.height - config.foldBlocks, compared)
  const found = await selectFoldable(db, blockchain, height, ITEMS)
  let transactions = 0
  let done = 0
  for (const item of found) {
    if (done > 0 && transactions + item.transactions > TRANSACTIONS) return true
    transactions += item.transactions
    done++
    await foldItem(context, tip, item, height)
  }
  return found.length === ITEMS
}

async function foldItem(context: AgentContext, tip: BlockPosition, item: Foldable, height: number): Promise<void> {
  const { db, blockchain } = context
  const rows = await selectToFold(db, item.itemId)
  const txids = await selectUnfoldedTxids(db, item.itemId)
  const postpone = async (until: number) => void (await postponeFoldStatement(db, item.itemId, until).run())
  if (rows.length === 0 && (await endVoidFold(db, item.itemId))) return
  if (rows.length !== item.transactions || rows.map(({ txid }) => txid).join('') !== txids) {
    console.error('not_folded', blockchain, item.itemId, 'its transactions are not those that it was stored with')
    return await postpone(height + LATER)
  }
  const top = highest(rows)
  // A reorganisation has removed one from its block.
  if (!top) return await postpone(height + SOON)
  if (top.height > height) return await postpone(top.height)
  if (!(await selectIsLeft(db, item.itemId, height))) return await postpone(height + SOON)
  const fold: Fold = {
    txids,
    count: rows.length,
    heights: packHeights(rows.map((row) => row.height ?? 0)),
    vsize: rows.reduce((sum, { vsize }) => sum + vsize, 0),
    fee: rows.reduce((sum, { fee }) => sum + fee, 0n),
    top,
  }
  await batchIf(db, [
    assertTipStatement(db, blockchain, tip),
    ...deleteFoldedStatements(db, blockchain, { itemId: item.itemId, count: fold.count }, height),
    ...foldStatements(db, blockchain, item, fold),
  ])
}

/** The highest block of transactions; `undefined` where one has none, or there are none. */
function highest(rows: readonly FoldedTransaction[]): BlockPosition | undefined {
  let top: BlockPosition | undefined
  for (const { height, hash } of rows) {
    if (height === undefined || hash === undefined) return undefined
    if (!top || height > top.height) top = { height, hash }
  }
  return top
}
