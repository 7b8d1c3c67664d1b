import { decodeTransaction } from '../../../../protocol/transaction.ts'
import type { AgentContext, StepContext } from '../../../chain/follower/agent-context.ts'
import { assertTipStatement, type BlockPosition, selectHeights } from '../../../chain/follower/blocks.ts'
import { readBlocks } from '../../../chain/rpc/block-methods.ts'
import { readInMempool, readUnspent, readWalletTransactions } from '../../../chain/rpc/transaction-methods.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { inParts } from '../../../platform/d1/in-parts.ts'
import { stopDoubleSpentStatements } from '../../items/sql/move-items.ts'
import { clearReplannedStatement, selectReplanned } from '../../items/sql/writes.ts'
import { followersOf, giveUp } from '../../transactions/sign/give-up.ts'
import { isPending, sendLostSources } from '../../transactions/sign/send-lost-sources.ts'
import { getSigned } from '../../transactions/sql/signed-bytes.ts'
import {
  markMinedStatements,
  markSentStatement,
  markSpentOtherwiseStatement,
} from '../../transactions/sql/transaction-states.ts'
import { type OwnTransaction, txidsOf } from '../../transactions/sql/transactions.ts'
import { closeTxChainsStatement } from '../../transactions/sql/tx-chains.ts'
import { type Backoff, backOffRejected, subjectIds, subjectsOf } from '../send/back-off-rejected.ts'
import { emptyReport, type SendReport, sendAll } from '../send/send-transactions.ts'

/** Transactions sent again in one step, and their bytes: some twenty requests to the node, each with a few statements. */
const AGAIN_PER_STEP = 5_000
const AGAIN_BYTES = 20 << 20
/** Transactions without a coin that are looked after in one step, each with some twelve statements: D1 allows an invocation 1,000. */
const LOST_PER_STEP = 30

/** Blocks that have to follow one that spends what a transaction of ours would, before ours is made again. */
const SPENT_DEPTH = 6

function spentElsewhere(blocks: number): string {
  return (
    'Somebody else who uses the wallet spent an output that its transactions spend. ' +
    `The rest is written again automatically when that is ${blocks} blocks deep, or at once after a retry.`
  )
}

function storedOnSource(blocks: number): string {
  const why = `It was stored, and ${SOURCE_LOST}.`
  return `${why} It is written again automatically if that is not back within ${blocks} blocks, or at once after a retry.`
}

const SOURCE_LOST = 'a transaction that its own stand on left the chain, and the node does not take it again'

/**
 * Checks transactions that the newest block does not contain. If the mempool has lost one, the same bytes are sent again; one that
 * is in a block is recorded there; one that can never be mined, because its coin is gone, is made anew in the end. `orphaned`
 * are those whose inputs were missing when they were first sent. Returns the result of sending, and in `orphaned` those that are left to the
 * next step: thousands lose their inputs at once where a chain was accepted that has none of them.
 */
export async function checkSent(
  context: StepContext,
  tip: BlockPosition,
  unmined: readonly OwnTransaction[],
  orphaned: readonly OwnTransaction[],
): Promise<SendReport> {
  const { db, rpc, blockchain } = context
  const due = unmined.filter(({ state, checkedHeight }) => state === 'sent' && checkedHeight !== tip.height)
  const waiting = await readInMempool(rpc, txidsOf(due))
  if (waiting.size > 0) await markSentStatement(db, blockchain, [...waiting], tip.height).run()
  const back = due.filter(({ txid, spentHeight }) => spentHeight !== undefined && waiting.has(txid))
  await backOffRejected(context, subjectIds(back), [])
  const gone = due.filter(({ txid }) => !waiting.has(txid))
  const doubtful = [...gone, ...orphaned]
  if (doubtful.length === 0) return emptyReport()
  const lookedUp = await lookUp(context, doubtful)
  const again = gone.filter(({ txid }) => !lookedUp.has(txid)).sort((a, b) => a.seq - b.seq || a.txChain - b.txChain)
  const report = await sendAll(context, tip, takeSome(again), unmined)
  const lost = [...report.orphaned, ...orphaned].filter(({ txid }) => !lookedUp.has(txid))
  for (const transaction of lost.slice(0, LOST_PER_STEP)) await handleSpentInput(context, tip, transaction, unmined)
  return { ...report, orphaned: lost.slice(LOST_PER_STEP) }
}

/** Those of the transactions, from the first on, that one step sends again. */
function takeSome(transactions: readonly OwnTransaction[]): OwnTransaction[] {
  let bytes = 0
  const end = transactions.findIndex(({ length }, index) => {
    bytes += length
    return index === AGAIN_PER_STEP || (index > 0 && bytes > AGAIN_BYTES)
  })
  return transactions.slice(0, end < 0 ? transactions.length : end)
}

/** Transactions per request to the wallet. */
const LOOKED_UP_AT_ONCE = 200

/** Puts those into their block that the wallet knows in one that we followed; returns the txids of those that are in any. */
async function lookUp(context: AgentContext, transactions: readonly OwnTransaction[]): Promise<Set<string>> {
  const { db, rpc, blockchain } = context
  const txids = txidsOf(transactions)
  const inBlocks = new Set<string>()
  const hashes = new Set<string>()
  // Their bytes are not held: thousands of the largest are more than the memory.
  for (const part of inParts(txids, LOOKED_UP_AT_ONCE)) {
    const known = await readWalletTransactions(rpc, part)
    known.forEach((one, index) => {
      if (one?.blockHash !== undefined) hashes.add(one.blockHash)
      if ((one?.confirmations ?? 0) > 0) inBlocks.add(part[index] ?? '')
    })
  }
  const heights = await selectHeights(db, blockchain, [...hashes])
  const mined: (BlockPosition & { txid: string })[] = []
  if (heights.size > 0) {
    const asked = new Set(txids)
    for (const { hash, txids: contained } of await readBlocks(rpc, [...heights.keys()], asked)) {
      const height = heights.get(hash)
      if (height === undefined) continue
      for (const txid of contained) mined.push({ txid, hash, height })
    }
  }
  if (mined.length > 0) await db.batch(markMinedStatements(db, blockchain, mined))
  // In a block that was not followed yet: it is not lost, and found there when it is.
  return inBlocks
}

/**
 * Handles a transaction whose input is spent by another one in a block, or is an output of a transaction that left the
 * chain. If it was never sent, or an operator requests it, it is made anew at once. Otherwise its items stop until the
 * other one has so many confirmations that no reorganisation brings this one back, and are then written again. If the
 * node only does not accept the source again, the items wait as long, and their message says so.
 */
async function handleSpentInput(
  context: AgentContext,
  tip: BlockPosition,
  transaction: OwnTransaction,
  unmined: readonly OwnTransaction[],
): Promise<void> {
  const { db, bucket, blockchain, config, now } = context
  const [hex] = await getSigned(bucket, [transaction])
  // One without signed bytes is ended by the function that would send it.
  const loss = hex === undefined ? undefined : await findLoss(context, transaction, hex, unmined)
  if (!loss) return
  const followers = followersOf(unmined, transaction)
  const itemIds = [...new Set(followers.flatMap(({ itemId }) => itemId ?? []))]
  const waits = Math.max(SPENT_DEPTH, config.chains[blockchain].confirmations)
  const deep = tip.height - (transaction.spentHeight ?? tip.height) >= waits
  const neverSent = followers.every(({ attempts }) => attempts === 0)
  const replanned = await selectReplanned(db, itemIds)
  const { lostSource } = loss
  const isForNobody = !lostSource && itemIds.length === 0
  // A withdrawal's transaction that may still be mined is not made anew: the money would be sent twice.
  const isTied = lostSource !== undefined && followers.some(({ withdrawalId }) => withdrawalId !== undefined)
  if (neverSent || isForNobody || (!isTied && (deep || replanned.length > 0))) {
    console.warn('transaction_given_up', blockchain, transaction.txid, 'another transaction spends its input')
    // The tx chain ends here: the output that its next transaction would spend is gone.
    await batchIf(db, [
      assertTipStatement(db, blockchain, tip),
      ...giveUp(db, blockchain, followers),
      closeTxChainsStatement(db, blockchain, [transaction.txChain]),
      clearReplannedStatement(db, replanned),
    ])
    if (transaction.spentHeight !== undefined) await backOffRejected(context, itemIds, [])
    return
  }
  if (lostSource) {
    console.error('source_lost', blockchain, transaction.txid, lostSource.txids, lostSource.nodeError)
    const noted = await batchIf(db, [
      assertTipStatement(db, blockchain, tip),
      markSpentOtherwiseStatement(db, blockchain, txidsOf(followers), tip.height),
      // Nothing more is to spend from what may never be mined.
      closeTxChainsStatement(db, blockchain, [transaction.txChain]),
      ...stopDoubleSpentStatements(db, itemIds, storedOnSource(waits), now, { storedOnly: true }),
    ])
    const left = isTied ? undefined : waits - (tip.height - (transaction.spentHeight ?? tip.height))
    if (noted) await backOffRejected(context, [], backoffsForLostInputs(followers, lostSource, left))
    return
  }
  console.error('transaction_lost', blockchain, transaction.txid, 'another transaction spends its input')
  await batchIf(db, [
    assertTipStatement(db, blockchain, tip),
    markSpentOtherwiseStatement(db, blockchain, txidsOf(followers), tip.height),
    ...stopDoubleSpentStatements(db, itemIds, spentElsewhere(waits), now),
  ])
}

/**
 * The records of items and withdrawals that wait for the source of their transactions: items for so many more blocks, withdrawals,
 * and items behind one (`undefined`), until it is mined again or the operator gives it up.
 */
function backoffsForLostInputs(
  transactions: readonly OwnTransaction[],
  { txids, nodeError }: LostSource,
  blocks: number | undefined,
): Backoff[] {
  const reason = `It waits: ${SOURCE_LOST} (${txids}): ${nodeError}`
  const until =
    blocks === undefined
      ? 'It continues when that is in a block again, or the operator gives it up.'
      : `It is written again automatically after ${blocks} more blocks.`
  const message = `It waits: ${SOURCE_LOST} (${nodeError}). ${until}`
  return subjectsOf(transactions).map((subject) => ({ ...subject, reason, message }))
}

/** Transactions that one of ours spends from, that left the chain, and what the node says where it does not accept them again. */
interface LostSource {
  txids: string
  nodeError: string
}

/**
 * Why a transaction that is in no block can't be mined: another one in a block spends an input of it, or, with `lostSource`, one that it
 * spends from left the chain and is not accepted again. `undefined` where it can be.
 */
async function findLoss(
  context: AgentContext,
  transaction: OwnTransaction,
  hex: string,
  unmined: readonly OwnTransaction[],
): Promise<{ lostSource?: LostSource } | undefined> {
  const { rpc, blockchain } = context
  const { inputs } = decodeTransaction(Buffer.from(hex, 'hex'))
  const sources = inputs.map(({ txid }) => txid)
  const parents = await readWalletTransactions(rpc, sources)
  const waiting = await readInMempool(rpc, sources)
  const unspent = await readUnspent(rpc, inputs)
  const own = new Set(txidsOf(unmined))
  const missing = sources.flatMap((txid, index) => {
    const parent = parents[index]
    return isPending(parent) && !waiting.has(txid) && !own.has(txid) ? [{ txid, parent }] : []
  })
  const lost = missing.map(({ parent }) => parent)
  const nodeError = await sendLostSources(rpc, blockchain, lost)
  const spent = inputs.some(({ txid }, index) => {
    // A parent that is unmined proves nothing.
    const waits = own.has(txid) || waiting.has(txid) || isPending(parents[index])
    return !unspent[index] && !waits
  })
  // The transaction itself may have spent them, in a block that arrived since it was looked up.
  if ((!spent && nodeError === undefined) || (await lookUp(context, [transaction])).size > 0) return undefined
  return spent || nodeError === undefined ? {} : { lostSource: { txids: txidsOf(missing).join(), nodeError } }
}
