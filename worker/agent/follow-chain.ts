import type { AgentContext } from '../chain/follower/agent-context.ts'
import {
  assertTipStatement,
  type BlockPosition,
  deleteBlocksAboveStatement,
  deleteBlocksBelowStatement,
  INITIAL_SCAN_BLOCKS,
  insertBlocksStatement,
  rewindScannedStatement,
  selectBlocks,
  selectTip,
  upsertScannedStatement,
  WINDOW,
} from '../chain/follower/blocks.ts'
import { readBestBlock, readBlockHashes, readBlocks, readHeaders } from '../chain/rpc/block-methods.ts'
import { unmineOutputsAboveStatements } from '../features/payments/sql/outputs.ts'
import { unconfirmWithdrawalsAboveStatements } from '../features/payouts/sql/withdrawals.ts'
import {
  markMinedStatements,
  unmineTransactionsAboveStatements,
} from '../features/transactions/sql/transaction-states.ts'
import { selectUnmined } from '../features/transactions/sql/transactions.ts'
import { batchIf } from '../platform/d1/guarded-batch.ts'

/**
 * Where following got to. Only `current` allows decisions about money: `behind` is a node that has not yet seen
 * blocks that we have, `more` one with further blocks above those that were taken now, `syncing` one that says so itself,
 * and `unsettled` one whose answers brought us no higher: two nodes behind one address that disagree, or a chain that is being
 * reorganised. Each `more` is a higher block than before, so that they come to an end; the others are asked again later.
 */
export type FollowOutcome =
  | { state: 'current'; tip: BlockPosition }
  | { state: 'behind'; node: number; ours: number }
  | { state: 'syncing'; node: number }
  | { state: 'more' | 'unsettled' }

/** Why nothing is decided by a node that was followed so far, for the operator; `undefined` where something can be, or soon. Pure. */
export function findFollowProblem(followed: FollowOutcome): string | undefined {
  switch (followed.state) {
    case 'behind':
      return `its node is at ${followed.node}, we are at ${followed.ours}`
    case 'syncing':
      return `its node is still syncing, at ${followed.node}`
    case 'unsettled':
      return 'the answers of its node do not fit together: it changes its best chain, or two nodes share one address'
    case 'current':
    case 'more':
      return undefined
  }
}

const HEADERS_PER_STEP = 200
const BLOCKS_PER_STEP = 20

/** The node's chain shares no block with the last {@link WINDOW} that we followed: another network, or an attack. */
class DeepReorganisation extends Error {
  override name = 'DeepReorganisation'
}

/**
 * Follows the best chain by block hash and height, one bounded step: undoes blocks that left it, adds what came,
 * and notes which of our transactions are in them. Confirmations are counted on what this has followed, never
 * taken from the node's word.
 * @throws {DeepReorganisation} {@link NodeError}
 */
export async function followChain(context: AgentContext): Promise<FollowOutcome> {
  const { db, rpc, blockchain, now } = context
  const best = await readBestBlock(rpc)
  if (best.syncing) return { state: 'syncing', node: best.height }
  const tip = (await selectTip(db, blockchain)) ?? (await start(context, best))
  if (!tip) return { state: 'unsettled' }
  if (tip.hash === best.hash) return { state: 'current', tip }

  const ancestor = await findAncestor(context)
  if (ancestor.height < tip.height) {
    // A node whose best block is one of ours has lost nothing: it has not caught up.
    if (ancestor.hash === best.hash) return { state: 'behind', node: best.height, ours: tip.height }
    const undone = await batchIf(db, [
      assertTipStatement(db, blockchain, tip),
      rewindScannedStatement(db, blockchain, ancestor),
      ...unmineOutputsAboveStatements(db, blockchain, ancestor.height, now),
      ...unconfirmWithdrawalsAboveStatements(db, blockchain, ancestor.height),
      ...unmineTransactionsAboveStatements(db, blockchain, ancestor.height),
      deleteBlocksAboveStatement(db, blockchain, ancestor.height),
    ])
    if (!undone) return { state: 'unsettled' }
    console.warn('chain_reorganised', blockchain, `${tip.height - ancestor.height} blocks left the best chain`)
  }
  const reached = await extend(context, ancestor, best.height)
  if (reached?.hash === best.hash) return { state: 'current', tip: reached }
  return { state: reached && reached.height > tip.height ? 'more' : 'unsettled' }
}

async function start(context: AgentContext, best: BlockPosition): Promise<BlockPosition | undefined> {
  const { db, rpc, blockchain } = context
  const height = Math.max(0, best.height - INITIAL_SCAN_BLOCKS)
  const [hash] = await readBlockHashes(rpc, [height])
  if (hash === undefined) return undefined
  const block = { height, hash }
  const begun = await batchIf(db, [
    assertTipStatement(db, blockchain, undefined),
    insertBlocksStatement(db, blockchain, [block]),
    upsertScannedStatement(db, blockchain, block),
  ])
  return begun ? block : undefined
}

async function findAncestor({ db, rpc, blockchain }: AgentContext): Promise<BlockPosition> {
  const followed = await selectBlocks(db, blockchain, WINDOW)
  // Nearly always the tip itself or one of a few below it; a full look back is one more request.
  for (const part of [followed.slice(0, 8), followed.slice(8)]) {
    if (part.length === 0) continue
    const hashes = await readBlockHashes(
      rpc,
      part.map(({ height }) => height),
    )
    const ancestor = part.find(({ hash }, index) => hash === hashes[index])
    if (ancestor) return ancestor
  }
  throw new DeepReorganisation(`${blockchain}: the node shares none of the last ${followed.length} blocks with us`)
}

async function extend(
  context: AgentContext,
  from: BlockPosition,
  bestHeight: number,
): Promise<BlockPosition | undefined> {
  const { db, rpc, blockchain } = context
  const unmined = await selectUnmined(db, blockchain)
  const ours = new Set(unmined.map(({ txid }) => txid))
  const count = Math.min(bestHeight - from.height, ours.size > 0 ? BLOCKS_PER_STEP : HEADERS_PER_STEP)
  if (count < 1) return undefined
  const heights = Array.from({ length: count }, (_, index) => from.height + 1 + index)
  const hashes = (await readBlockHashes(rpc, heights)).filter((hash) => hash !== undefined)
  const headers =
    ours.size > 0
      ? await readBlocks(rpc, hashes, ours)
      : (await readHeaders(rpc, hashes)).map((header) => ({ ...header, txids: [] }))

  const added: BlockPosition[] = []
  const mined: (BlockPosition & { txid: string })[] = []
  let previous = from
  for (const header of headers) {
    // The node changed its best chain between two responses: blocks that link are used, the rest is requested again.
    if (header.previous !== previous.hash) break
    const block = { height: previous.height + 1, hash: header.hash }
    for (const txid of header.txids) mined.push({ ...block, txid })
    added.push(block)
    previous = block
  }
  if (added.length === 0) return undefined
  const extended = await batchIf(db, [
    assertTipStatement(db, blockchain, from),
    insertBlocksStatement(db, blockchain, added),
    ...markMinedStatements(db, blockchain, mined),
    deleteBlocksBelowStatement(db, blockchain, previous.height - WINDOW),
  ])
  return extended ? previous : undefined
}
