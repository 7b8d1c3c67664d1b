import type { Blockchain } from '../../../protocol/chains.ts'
import {
  assertTipStatement,
  type BlockPosition,
  deleteBlocksAboveStatement,
  INITIAL_SCAN_BLOCKS,
  insertBlocksStatement,
  restartScanStatement,
  selectBlocks,
  WINDOW,
} from '../../chain/follower/blocks.ts'
import { selectChainState } from '../../chain/follower/chain-states.ts'
import { checkNetwork, WrongNetwork } from '../../chain/follower/check-network.ts'
import { readBestBlock, readBlockHashes } from '../../chain/rpc/block-methods.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import { type PaymentContext, paymentUnavailable, withWallet } from '../payments/payment-context.ts'
import { unmineOutputsAboveStatements } from '../payments/sql/outputs.ts'
import { unconfirmWithdrawalsAboveStatements } from '../payouts/sql/withdrawals.ts'
import { unmineTransactionsAboveStatements } from '../transactions/sql/transaction-states.ts'
import { selectHighestOfOurs } from './sql/blocks-of-ours.ts'

/**
 * Returns the first block that is followed. Follows the node's chain from now on although it contains no stored block,
 * which the agent does not do by itself. Transactions that are known to be in a block of both chains remain there. All
 * others that were in blocks count as removed by a reorganisation, and the whole wallet is searched. The ledger does
 * not change. Following begins at `height`, or where the chains fork. `record` makes the entries that are written in
 * the same batch.
 * @throws {AppError} 400 for the height, 409 if the node is on another network or shares a block, 503
 */
export async function acceptChain(
  context: PaymentContext,
  blockchain: Blockchain,
  height: number | undefined,
  record: (first: BlockPosition) => D1PreparedStatement[],
): Promise<BlockPosition> {
  const { db, config, now } = context
  const { genesis } = await selectChainState(db, blockchain)
  return await withWallet(context, blockchain, async (rpc) => {
    const seen = await checkNetwork(rpc, config.chains[blockchain].genesis ?? genesis).catch(refuseNetwork)
    const best = await readBestBlock(rpc)
    if (best.syncing) throw paymentUnavailable(blockchain, 'the node is syncing')
    const hashesAt = async (blocks: readonly BlockPosition[]) =>
      await readBlockHashes(
        rpc,
        blocks.map((block) => block.height),
      )
    const followed = await selectBlocks(db, blockchain, WINDOW)
    const [tip] = followed
    if (tip && best.height < tip.height && followed.some(({ hash }) => hash === best.hash)) {
      throw nothingToAccept(
        `Its node is behind: it is at ${best.height}, we are at ${tip.height}. Wait until it has caught up.`,
      )
    }
    const theirs = await hashesAt(followed)
    if (!tip || followed.some(({ hash }, index) => hash === theirs[index])) throw nothingToAccept()

    const shared = { height: 0, hash: seen }
    const isShared = async (block: BlockPosition) => (await hashesAt([block]))[0] === block.hash
    const common = await findCommon(db, blockchain, shared, tip.height, isShared)
    const isKnownAbove = (await selectHighestOfOurs(db, blockchain, common.height, tip.height)) !== undefined
    const from = height ?? (isKnownAbove ? common.height : Math.max(common.height, best.height - INITIAL_SCAN_BLOCKS))
    if (from < common.height || from > best.height) {
      throw invalidField('height', `must be from ${common.height}, where the two chains fork, to ${best.height}.`)
    }
    const [hash] = await readBlockHashes(rpc, [from])
    if (hash === undefined) throw paymentUnavailable(blockchain, 'the node is being reorganised')
    const first = { height: from, hash }
    const accepted = await batchIf(db, [
      assertTipStatement(db, blockchain, tip),
      deleteBlocksAboveStatement(db, blockchain, -1),
      insertBlocksStatement(db, blockchain, [first]),
      restartScanStatement(db, blockchain, first),
      ...unmineOutputsAboveStatements(db, blockchain, common.height, now),
      ...unconfirmWithdrawalsAboveStatements(db, blockchain, common.height),
      ...unmineTransactionsAboveStatements(db, blockchain, common.height),
      ...record(first),
    ])
    if (!accepted) throw nothingToAccept()
    return first
  })
}

/**
 * The highest block that contains something of ours and that is on the node's chain too, or `shared`, the lowest. A
 * binary search: two chains that share a block share all below it.
 */
async function findCommon(
  db: D1Database,
  blockchain: Blockchain,
  shared: BlockPosition,
  top: number,
  isShared: (block: BlockPosition) => Promise<boolean>,
): Promise<BlockPosition> {
  let common = shared
  let below = shared.height
  let above = top + 1
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2)
    const known = await selectHighestOfOurs(db, blockchain, below, middle)
    if (known && !(await isShared(known))) {
      above = known.height
      continue
    }
    common = known ?? common
    below = middle
  }
  return common
}

function refuseNetwork(error: unknown): never {
  if (error instanceof WrongNetwork) throw new AppError(409, 'wrong_network', error.message)
  throw error
}

function nothingToAccept(
  message = 'The node still has blocks that this service follows, so there is nothing to accept: the reorganisation is followed automatically.',
): AppError {
  return new AppError(409, 'nothing_to_accept', message)
}
