import type { AgentContext, StepContext } from '../../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'
import { readWalletTransactions, sendTransactions } from '../../../chain/rpc/transaction-methods.ts'
import type { WalletRpc } from '../../../chain/rpc/wallet-rpc.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { stopItemsStatements } from '../../items/sql/move-items.ts'
import { clearReplannedStatement, noteRefusedRateStatement, selectReplanned } from '../../items/sql/writes.ts'
import { withdrawalEvent } from '../../payouts/end/withdrawal-event.ts'
import { recordPayouts } from '../../payouts/restore/record-payouts.ts'
import { failWithdrawalStatements, selectWithdrawalsById, type Withdrawal } from '../../payouts/sql/withdrawals.ts'
import { type BroadcastOutcome, readBroadcastOutcome } from '../../transactions/sign/broadcast-outcome.ts'
import { followersOf, giveUp } from '../../transactions/sign/give-up.ts'
import { getSigned } from '../../transactions/sql/signed-bytes.ts'
import { countAttempts, markCheckedStatement, markSentStatement } from '../../transactions/sql/transaction-states.ts'
import { isBump, type OwnTransaction, txidsOf } from '../../transactions/sql/transactions.ts'
import { closeTxChainsStatement } from '../../transactions/sql/tx-chains.ts'
import { type Backoff, backOffRejected, type Subject, subjectsOf } from './back-off-rejected.ts'
import { classifyRejection } from './classify-rejection.ts'

/** Calls and raw bytes of one request to the node. */
const PER_BATCH = 250
const BYTES_PER_BATCH = 1 << 20

/** The result of sending. */
export interface SendReport {
  taken: number
  /** Items and withdrawals that end here, for the node refuses them. */
  stopped: number
  /** Transactions whose inputs the node does not have although what they spend was sent or mined. */
  orphaned: OwnTransaction[]
  /** Transactions that the node had once, and that its mempool has no room for now at what they pay. */
  cheap: OwnTransaction[]
  /** Transactions that the node refused: sending them again to the same mempool is of no use. */
  untaken: OwnTransaction[]
}

/** The report where nothing was sent. */
export function emptyReport(): SendReport {
  return { taken: 0, stopped: 0, orphaned: [], cheap: [], untaken: [] }
}

/**
 * Sends the stored bytes of transactions in order, for the first time or again. In a tx chain nothing is sent behind one that the
 * node did not accept. `unmined` are all of ours that have no block.
 * @throws {NodeError} what is known then is in the database; the rest is sent again.
 */
export async function sendAll(
  context: StepContext,
  tip: BlockPosition,
  transactions: readonly OwnTransaction[],
  unmined: readonly OwnTransaction[],
): Promise<SendReport> {
  const report = emptyReport()
  const blocked = await recordPayouts(context, transactions)
  let rest = [...transactions]
  while (rest.length > 0) {
    const batch = takeBatch(rest)
    rest = rest.slice(batch.length)
    const sendable = batch.filter(({ txChain }) => !blocked.has(txChain))
    if (sendable.length > 0) await sendBatch(context, tip, sendable, unmined, blocked, report)
  }
  return report
}

function takeBatch(transactions: readonly OwnTransaction[]): OwnTransaction[] {
  const batch: OwnTransaction[] = []
  let bytes = 0
  for (const transaction of transactions.slice(0, PER_BATCH)) {
    bytes += transaction.length
    if (batch.length > 0 && bytes > BYTES_PER_BATCH) break
    batch.push(transaction)
  }
  return batch
}

async function sendBatch(
  context: AgentContext,
  tip: BlockPosition,
  whole: readonly OwnTransaction[],
  unmined: readonly OwnTransaction[],
  blocked: Set<number>,
  report: SendReport,
): Promise<void> {
  const { db, bucket, rpc, blockchain, now } = context
  const signed = await getSigned(bucket, whole)
  const gone = new Set(whole.filter((_, index) => signed[index] === undefined).map(({ txChain }) => txChain))
  for (const txChain of gone) blocked.add(txChain)
  if (gone.size > 0) await giveUpGone(context, tip, whole, unmined, gone)
  const found = whole.filter(({ txChain }) => !gone.has(txChain))
  if (found.length === 0) return
  // Counted before: a reply that is lost must not look like no attempt.
  const live = await countAttempts(db, blockchain, txidsOf(found))
  for (const { txid, txChain } of found) if (!live.has(txid)) blocked.add(txChain)
  const batch = found.filter(({ txChain }) => !blocked.has(txChain))
  if (batch.length === 0) return
  const hexes = new Map(whole.map(({ txid }, index) => [txid, signed[index] ?? '']))
  // One that pays for those before it may be dearer than a careless caller's.
  const calls = batch.map((one) => ({ hex: hexes.get(one.txid) ?? '', anyFee: isBump(one) }))
  const outcomes = await sendTransactions(rpc, blockchain, calls)
  // One whose first reply was lost may have been accepted: its inputs are not free.
  const tried = batch.filter(({ state, attempts }) => state === 'signed' && attempts > 0).map(({ txid }) => txid)
  const known = tried.length > 0 ? await readKnown(rpc, tried) : new Set<string>()
  const taken: OwnTransaction[] = []
  const mined: OwnTransaction[] = []
  const lost: OwnTransaction[] = []
  const ended: number[] = []
  /** Transactions, with those behind them, that wait for the next block even if others are accepted. */
  const rejected: OwnTransaction[] = []
  const stopped: { transaction: OwnTransaction; nodeError: string }[] = []
  const backoffs: Backoff[] = []
  /** Transactions that no node ever had, at what they pay. */
  const cheap: OwnTransaction[] = []
  batch.forEach((transaction, index) => {
    const outcome = outcomes[index]
    if (!outcome || blocked.has(transaction.txChain)) return
    const kind = readBroadcastOutcome(outcome)
    if (kind === 'taken') taken.push(transaction)
    else if (kind === 'mined') mined.push(transaction)
    else {
      blocked.add(transaction.txChain)
      const nodeError = 'error' in outcome ? outcome.error.message : ''
      console.warn('transaction_not_taken', blockchain, transaction.txid, kind, nodeError)
      const verdict = classifyRejection(transaction, kind, known.has(transaction.txid))
      if (verdict.orphaned) report.orphaned.push(transaction)
      if (verdict.crowdedOut) report.cheap.push(transaction)
      if (verdict.waits) report.untaken.push(transaction)
      if (verdict.rejected) rejected.push(...followersOf(unmined, transaction))
      if (verdict.givenUp) lost.push(...followersOf(unmined, transaction))
      if (verdict.givenUp && kind === 'cheap') cheap.push(transaction)
      if (verdict.ends) ended.push(transaction.txChain)
      if (verdict.stops) stopped.push({ transaction, nodeError: nodeError })
      if (verdict.rests) backoffs.push(...backoffsForRejected(unmined, transaction, kind, nodeError))
    }
  })
  // A coin that a withdrawal is tied to may not be spent by the tx chain.
  ended.push(...lost.filter(({ withdrawalId }) => withdrawalId !== undefined).map(({ txChain }) => txChain))
  report.taken += taken.length
  report.stopped += stopped.length
  await backOffRejected(
    context,
    taken.flatMap((one) => affectedBy(unmined, one)).map(({ id }) => id),
    backoffs,
  )
  const failing = stopped.flatMap(({ transaction: { withdrawalId } }) => withdrawalId ?? [])
  const failed = failing.length > 0 ? await selectWithdrawalsById(db, failing) : []
  const withdrawals = new Map(failed.map((one) => [one.id, one]))
  await batchIf(db, [
    markSentStatement(db, blockchain, txidsOf(taken), tip.height),
    // Looked up, and put into its block, by the next check.
    markSentStatement(db, blockchain, txidsOf(mined), tip.height - 1),
    markCheckedStatement(db, blockchain, txidsOf(rejected), tip.height),
    ...(lost.length > 0 ? giveUp(db, blockchain, lost) : []),
    ...cheap.flatMap(({ itemId, fee, vsize }) =>
      itemId === undefined ? [] : noteRefusedRateStatement(db, itemId, (fee * 1000n) / BigInt(vsize)),
    ),
    ...(ended.length > 0 ? [closeTxChainsStatement(db, blockchain, ended)] : []),
    ...stopped.flatMap(({ transaction: { itemId, withdrawalId }, nodeError }) => [
      ...failStatements(db, withdrawals.get(withdrawalId ?? ''), nodeError, now),
      ...(itemId === undefined
        ? []
        : stopItemsStatements(db, [itemId], 'parked', `The node refuses its transactions: ${nodeError}`, now)),
    ]),
  ])
}

/** The statements that hand a withdrawal that the node refuses to an operator, and notify its owner. */
function failStatements(db: D1Database, withdrawal: Withdrawal | undefined, nodeError: string, now: number) {
  if (!withdrawal) return []
  const reason = `The node refuses to send it: ${nodeError}`.slice(0, 300)
  const event = withdrawalEvent(withdrawal, 'failed', now, { reason })
  return failWithdrawalStatements(db, withdrawal.id, { reason, event }, now)
}

/** What the node's word on a transaction is about: its item or withdrawal, or, where it pays for its tx chain, all that wait in that. */
function affectedBy(unmined: readonly OwnTransaction[], transaction: OwnTransaction): Subject[] {
  return subjectsOf(
    isBump(transaction) ? unmined.filter(({ txChain }) => txChain === transaction.txChain) : [transaction],
  )
}

function backoffsForRejected(
  unmined: readonly OwnTransaction[],
  transaction: OwnTransaction,
  kind: BroadcastOutcome,
  nodeError: string,
): Backoff[] {
  const refused = isBump(transaction) ? 'what would pay more for its transactions' : 'its transactions'
  const why =
    kind === 'cheap' && !isBump(transaction) ? 'the node finds its fees too low now' : `the node refuses ${refused}`
  const text = {
    reason: `The node refuses ${refused}: ${nodeError}`,
    message: `It waits: ${why} (${nodeError}). It is tried again automatically.`,
  }
  return affectedBy(unmined, transaction).map((subject) => ({ ...subject, ...text }))
}

/** Those of our transactions that the wallet has seen in the mempool or in a block. */
async function readKnown(rpc: WalletRpc, txids: readonly string[]): Promise<Set<string>> {
  const found = await readWalletTransactions(rpc, txids)
  return new Set(txids.filter((_, index) => found[index] !== undefined))
}

const BYTES_GONE = 'The signed bytes of its transactions are gone. Retry to write the remaining ones again.'

/**
 * Ends tx chains whose signed bytes are not there any more. What was never sent, or what an operator lets be written again,
 * is made again; the rest, which others may have, stops its items.
 */
async function giveUpGone(
  { db, blockchain, now }: AgentContext,
  tip: BlockPosition,
  batch: readonly OwnTransaction[],
  unmined: readonly OwnTransaction[],
  txChains: ReadonlySet<number>,
): Promise<void> {
  const gone = [...txChains].flatMap((id) => {
    const first = batch.find(({ txChain }) => txChain === id)
    const followers = first ? followersOf(unmined, first) : []
    const sent = followers.filter(({ attempts }) => attempts > 0)
    return { id, first, followers, itemIds: [...new Set(sent.flatMap(({ itemId }) => itemId ?? []))] }
  })
  const replanned = new Set(
    await selectReplanned(
      db,
      gone.flatMap(({ itemIds }) => itemIds),
    ),
  )
  const isMadeAnew = ({ itemIds }: (typeof gone)[number]) =>
    itemIds.length === 0 || itemIds.some((id) => replanned.has(id))
  const given = gone.flatMap((one) =>
    isMadeAnew(one) ? one.followers : one.followers.filter(({ attempts }) => attempts === 0),
  )
  const idsOf = (chains: typeof gone) => chains.flatMap(({ itemIds }) => itemIds)
  for (const { first } of gone) console.error('signed_bytes_gone', blockchain, first?.txid, first?.bundle)
  await batchIf(db, [
    ...giveUp(db, blockchain, given),
    closeTxChainsStatement(db, blockchain, [...txChains]),
    // What is left is looked at again when there is another block.
    markCheckedStatement(db, blockchain, txidsOf(gone.flatMap(({ followers }) => followers)), tip.height),
    clearReplannedStatement(db, idsOf(gone.filter(isMadeAnew))),
    ...stopItemsStatements(db, idsOf(gone.filter((one) => !isMadeAnew(one))), 'parked', BYTES_GONE, now),
  ])
}
