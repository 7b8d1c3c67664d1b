import { CHAINS } from '../../../../protocol/chains.ts'
import { feeFor, transactionVsize } from '../../../../protocol/transaction-size.ts'
import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import { assertTipStatement, type BlockPosition } from '../../../chain/follower/blocks.ts'
import { eachRecord } from '../../../chain/follower/each-record.ts'
import { selectStops } from '../../../chain/follower/stops.ts'
import { newChangeScript } from '../../../chain/rpc/address-methods.ts'
import { readFeeRate } from '../../../chain/rpc/fund-methods.ts'
import {
  readInMempool,
  readUnspent,
  readWalletTransactions,
  type WalletTransaction,
} from '../../../chain/rpc/transaction-methods.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { readInTurn } from '../../../platform/d1/read-in-turn.ts'
import { giveUpUnsent } from '../../transactions/sign/give-up.ts'
import { isPending } from '../../transactions/sign/send-lost-sources.ts'
import { signAndStore } from '../../transactions/sign/sign-and-store.ts'
import { sortCoins } from '../../transactions/sort-coins.ts'
import { listFunds } from '../../transactions/spendable-coins.ts'
import {
  reviveTransactionStatement,
  selectTransactionsOf,
  selectTxChainBeginning,
} from '../../transactions/sql/payout-transactions.ts'
import { type OwnTransaction, selectUnmined, txidsOf } from '../../transactions/sql/transactions.ts'
import { type Coin, selectNextTxChainId } from '../../transactions/sql/tx-chains.ts'
import {
  clearCoinSpentStatement,
  clearEndingStatement,
  finishEndingStatements,
  noteCoinSpentStatement,
  noteReasonStatement,
  returnToWalletStatements,
} from '../sql/withdrawal-ends.ts'
import { selectEnding, type Withdrawal } from '../sql/withdrawals.ts'
import { RETURNING_TO_WALLET, refundStatements } from './end-withdrawal.ts'
import { readLastPayout, settleSpent } from './settle-spent.ts'
import { unknownPayoutReason } from './unknown-payout.ts'
import { withdrawalAuditStatement, withdrawalEventStatement } from './withdrawal-event.ts'

/** Withdrawals looked at in one step, and where there are more, as many again in turn. */
const PER_STEP = 20
/** Confirmations, at least, of what spends a coin, before nothing else that was signed to spend it can be mined. */
const SPENT_DEPTH = 6

/**
 * Ends withdrawals for which something was signed, as operators decided. The coin that each is tied to is spent back to
 * the wallet, and the money is returned when that has enough confirmations. A withdrawal that was mined in between is
 * paid, and does not end. Returns `true` if something was signed.
 */
export async function endWithdrawals(context: AgentContext, tip: BlockPosition): Promise<boolean> {
  const { db, blockchain, now } = context
  const ending = await readInTurn({ limit: PER_STEP, now }, (from) => selectEnding(db, blockchain, PER_STEP, from))
  // After a restore the payouts since that moment are not known yet.
  if (ending.length === 0 || (await selectStops(db, blockchain)).some(({ cause }) => cause === 'restored')) return false
  let signed = false
  await eachRecord(
    context,
    'withdrawal',
    ending,
    async (withdrawal) => {
      signed = (await endOne(context, tip, withdrawal)) || signed
    },
    { whole: false },
  )
  return signed
}

async function endOne(context: AgentContext, tip: BlockPosition, withdrawal: Withdrawal): Promise<boolean> {
  const { db, rpc, blockchain, config } = context
  const { id, coin, backTxChain, backHeight, spentHeight } = withdrawal
  const depth = Math.max(SPENT_DEPTH, config.chains[blockchain].confirmations)
  const paying = await selectTransactionsOf(db, id)
  if (paying.some(({ state }) => state === 'mined')) {
    await batchIf(db, paidAfterAll(context, withdrawal))
    return false
  }
  const back = backTxChain === undefined ? undefined : await selectTxChainBeginning(db, blockchain, backTxChain)
  if (back) {
    if (back.blockHeight !== null && tip.height - back.blockHeight + 1 >= depth) await finish(context, tip, withdrawal)
    return false
  }
  if (!coin) throw new Error(`The withdrawal ${id} ends without a coin.`)
  const [unspent] = await readUnspent(rpc, [coin])
  if (!unspent) {
    const known = await readWalletTransactions(
      rpc,
      paying.map(({ txid }) => txid),
    )
    const mined = paying[known.findIndex((one) => one !== undefined && one.confirmations > 0)]
    if (mined) {
      const revived = reviveTransactionStatement(db, blockchain, mined.txid, tip.height)
      await batchIf(db, [assertTipStatement(db, blockchain, tip), revived, ...paidAfterAll(context, withdrawal)])
    } else if (!isAbandoned(known) && (await waitsForBlock(context, coin))) await waitForCoin(context, withdrawal)
    else if (spentHeight !== undefined && tip.height - spentHeight >= depth) await finishSpent(context, tip, withdrawal)
    else await noteSpent(context, tip, withdrawal)
    return false
  }
  // A reorganisation removed what had spent it: the next one is counted from its own block.
  if (spentHeight !== undefined) await clearCoinSpentStatement(db, id).run()
  if (withdrawal.reason === COIN_OFF_CHAIN || withdrawal.reason === COIN_ELSEWHERE)
    await noteReasonStatement(db, id, RETURNING_TO_WALLET, context.now).run()
  // Refused once it is tried again with the next block: the same mempool has the same answer.
  if (backHeight !== undefined && backHeight >= tip.height) return false
  return await bringBack(context, tip, withdrawal, coin)
}

/** Whether the operator had the wallet abandon all that was signed for a withdrawal, as happens with the transaction of its coin. */
function isAbandoned(known: readonly (WalletTransaction | undefined)[]): boolean {
  const found = known.filter((one) => one !== undefined)
  return found.length > 0 && found.every(({ abandoned }) => abandoned)
}

/**
 * Whether a coin is in no block because a reorganisation removed its transaction from the chain, which may be mined again. One that the
 * operator abandoned at the wallet is not waited for.
 */
async function waitsForBlock({ rpc }: AgentContext, { txid }: Coin): Promise<boolean> {
  const [source] = await readWalletTransactions(rpc, [txid])
  return isPending(source)
}

const COIN_OFF_CHAIN =
  'The operator ends it. The coin that it was to be paid with is not on the chain for now: it ends when that is back, spent otherwise, or abandoned by the operator.'

/** Nothing has spent the coin: what was signed for it may still be mined. */
async function waitForCoin({ db, now }: AgentContext, { id, reason, spentHeight }: Withdrawal): Promise<void> {
  if (spentHeight !== undefined) await clearCoinSpentStatement(db, id).run()
  if (reason !== COIN_OFF_CHAIN) await noteReasonStatement(db, id, COIN_OFF_CHAIN, now).run()
}

const COIN_ELSEWHERE =
  'The operator ends it. Another transaction has spent the coin that it was to be paid with: it ends when that is some blocks deep.'

/** Something else has spent the coin, in a block. */
async function noteSpent({ db, now }: AgentContext, { height }: BlockPosition, { id }: Withdrawal): Promise<void> {
  await db.batch([noteCoinSpentStatement(db, id, height), noteReasonStatement(db, id, COIN_ELSEWHERE, now)])
}

const ITEMS_BEHIND =
  'The operator ends it. Transactions of paid items stand on its own: it ends when these are mined, or is paid with them.'

/**
 * Signs the transaction that spends the coin back and replaces all that spends from it. Transactions of items are not replaced: the node
 * may refuse the new one, or a miner may not have it, and the items would be written twice.
 */
async function bringBack(
  context: AgentContext,
  tip: BlockPosition,
  { id, reason }: Withdrawal,
  coin: Coin,
): Promise<boolean> {
  const { db, rpc, blockchain, now } = context
  const paying = new Set((await selectTransactionsOf(db, id)).map(({ txid }) => txid))
  const unmined = await selectUnmined(db, blockchain)
  const txChains = new Set(unmined.filter(({ txid }) => paying.has(txid)).map(({ txChain }) => txChain))
  const replaced = unmined.filter(({ txChain }) => txChains.has(txChain))
  if (replaced.some(({ itemId, attempts }) => itemId !== undefined && attempts > 0)) {
    if (reason !== ITEMS_BEHIND) await noteReasonStatement(db, id, ITEMS_BEHIND, now).run()
    return false
  }
  const inMempool = await readInMempool(rpc, [...new Set([...paying, ...txidsOf(replaced)])])
  const script = await newChangeScript(rpc, blockchain)
  const { dust, relayFeeRate } = CHAINS[blockchain]
  const conflicts = replaced.filter(({ txid }) => inMempool.has(txid))
  const terms = { feeRate: await readFeeRate(rpc, blockchain), relayFeeRate, dust, script, conflicts }
  const planned =
    planReturnToWallet(coin, [], terms) ??
    planReturnToWallet(coin, sortCoins((await listFunds(context)).spendable), terms)
  if (!planned) throw new Error('The wallet has no confirmed coins to spend its coin back with.')
  const txChain = await selectNextTxChainId(db, blockchain)
  const { spends, change, fee, vsize } = planned
  const transaction = { txChain, seq: 0, spends, payload: undefined, splits: [], script, change, fee, vsize }
  const plan = { transactions: [transaction], opened: [{ id: txChain, coin, script }], closed: [...txChains], replaced }
  const back = returnToWalletStatements(db, id, { txChain, height: tip.height, reason: RETURNING_TO_WALLET }, now)
  return await signAndStore(context, plan, undefined, () => back)
}

/** What spending a coin back is planned with; base units, rates per 1,000 vbytes, the script in hex. */
interface BackTerms {
  feeRate: bigint
  relayFeeRate: bigint
  dust: bigint
  script: string
  /** Transactions in the mempool that spend the coin, and their descendants. */
  conflicts: readonly Pick<OwnTransaction, 'fee'>[]
}

/**
 * The transaction that spends a coin to a script of the wallet, alone or with the smallest of `others` that is enough.
 * It pays the present fee rate, and more than all that it replaces (BIP 125, rules 3 and 4). `undefined` if the coins
 * do not suffice. Pure.
 */
export function planReturnToWallet(coin: Coin, others: readonly Coin[], terms: BackTerms) {
  const { feeRate, relayFeeRate, dust, script, conflicts } = terms
  const paid = conflicts.reduce((sum, { fee }) => sum + fee, 0n)
  for (const more of others.length === 0 ? [[]] : others.map((other) => [other])) {
    const spends = [coin, ...more]
    const vsize = transactionVsize(
      spends.map((one) => one.script),
      [script.length / 2],
    )
    const asked = feeFor(vsize, feeRate)
    const least = conflicts.length > 0 ? paid + feeFor(vsize, relayFeeRate) : 0n
    const fee = asked > least ? asked : least
    const change = spends.reduce((sum, { value }) => sum + value, 0n) - fee
    if (change >= dust) return { spends, change, fee, vsize }
  }
  return undefined
}

/**
 * Ends a withdrawal whose coin another transaction has spent for good. A payout of it that both the database and the
 * wallet have lost does not count as such: nothing is returned if it was mined, nor, until an operator has checked, if
 * that can't be determined.
 * @throws {Error} if it waits for the wallet to find that payout
 */
async function finishSpent(context: AgentContext, tip: BlockPosition, withdrawal: Withdrawal): Promise<void> {
  const { db, now } = context
  const { id, ending, reason } = withdrawal
  const last = ending === 'refunded' ? await readLastPayout(context, id) : undefined
  if (last?.fate === 'mined') return await settleSpent(context, tip, withdrawal)
  if (last?.fate !== 'unknown') return await finish(context, tip, withdrawal)
  const why = unknownPayoutReason(last.txid)
  if (reason === why) return
  console.error('payout_unknown', context.blockchain, id, last.txid)
  await noteReasonStatement(db, id, why, now).run()
}

async function finish(context: AgentContext, tip: BlockPosition, withdrawal: Withdrawal): Promise<void> {
  const { db, blockchain, now } = context
  const { id, ending } = withdrawal
  if (!ending) return
  await batchIf(db, [
    assertTipStatement(db, blockchain, tip),
    ...finishEndingStatements(db, id, ending),
    ...(await giveUpUnsent(db, blockchain, id)),
    ...(ending === 'refunded' ? await refundStatements(db, withdrawal, now) : []),
    withdrawalEventStatement(db, withdrawal, ending, now),
    withdrawalAuditStatement(db, withdrawal, { at: now, act: 'withdrawal.ended', reason: ending }),
  ])
}

/** The statements after which a withdrawal that was mined after all is on its way as any other. */
function paidAfterAll({ db, now }: AgentContext, withdrawal: Withdrawal): D1PreparedStatement[] {
  const reason = 'Its transaction was mined before it could be ended.'
  const audit = withdrawalAuditStatement(db, withdrawal, { at: now, act: 'withdrawal.ended', reason })
  return [clearEndingStatement(db, withdrawal.id), audit]
}
