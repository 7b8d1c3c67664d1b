import { formatAmount } from '../../../protocol/amount.ts'
import { outpointOf } from '../../../protocol/transaction.ts'
import type { AgentContext, StepContext } from '../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../chain/follower/blocks.ts'
import { eachRecord, NOT_TRIED } from '../../chain/follower/each-record.ts'
import { raisePayoutNumberStatements } from '../../chain/follower/payout-numbers.ts'
import { selectStoppedParts } from '../../chain/follower/stops.ts'
import { readFeeRate } from '../../chain/rpc/fund-methods.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { readInTurn } from '../../platform/d1/read-in-turn.ts'
import { selectSpent } from '../wallet/sql/transactions.ts'
import type { Coin } from '../wallet/sql/tx-chains.ts'
import { noticeRestore } from '../withdrawals/notice-restore.ts'
import { assertPayoutCountStatement } from '../withdrawals/sql/payout-sums.ts'
import { noteWaitingStatement } from '../withdrawals/sql/withdrawal-reasons.ts'
import {
  selectUnsigned,
  selectWithdrawalsById,
  tieWithdrawalStatements,
  type Withdrawal,
} from '../withdrawals/sql/withdrawals.ts'
import { isAffordable } from '../writer/is-affordable.ts'
import { FEE_TOO_HIGH, notifyWaiting, preparePayout, tellNotMade } from '../writer/prepare-payout.ts'
import { stopWithoutRecords, tieToEarlier } from '../writer/record-payouts.ts'
import { chooseTried } from '../writer/send-withdrawals.ts'
import { PayoutError } from '../writer/settle-spent.ts'
import { chooseCoins } from './choose-coins.ts'
import { type ColdWallet, coldWallet } from './cold-wallet.ts'
import { followPsbts } from './follow-psbts.ts'
import { putColdRecord } from './record-psbt.ts'
import {
  deletePsbtStatements,
  type HandedPsbt,
  insertPsbtStatements,
  markOfferedStatement,
  selectPsbtInputs,
  selectPsbts,
} from './sql/psbts.ts'

/** PSBTs of a chain that may be out at once, each some kilobytes. */
const MOST_HANDED = 100
/** PSBTs made in one step: each is a request to the wallet. */
const MADE_PER_STEP = 5
/** Confirmations of a coin before a PSBT spends it: it may be days until that is returned. */
const COIN_DEPTH = 6

const TO_BE_SIGNED = 'It is paid from an offline wallet. It is sent when the operator has signed it.'
const NO_COINS = 'The offline wallet has no confirmed coins for it now. It continues automatically when it has.'
const TOO_MANY =
  'Many withdrawals wait for the signature of the operator. It continues automatically when some are signed.'

/**
 * Moves withdrawals on that are paid with coins whose private keys are offline: what was returned signed, or was sent by somebody
 * else, becomes a transaction of ours; the others get a PSBT each, or, where the node knows none, a raw transaction, behind all that keeps
 * payouts back.
 */
export async function payFromCold(context: StepContext, tip: BlockPosition): Promise<void> {
  const { db, blockchain, now } = context
  const wallet = coldWallet(context, tip)
  if (!wallet) return
  const handed = await selectPsbts(db, blockchain, MOST_HANDED)
  await followPsbts(context, tip, handed)
  const waiting = await readInTurn({ limit: MOST_HANDED, now }, (from) =>
    selectUnsigned(db, blockchain, MOST_HANDED, { cold: true, from }),
  )
  if ((await selectStoppedParts(db, blockchain)).has('payouts')) return
  if (handed.length >= MOST_HANDED) await notifyWaiting(context, waiting, TOO_MANY)
  else if (waiting.length > 0) await makePsbts(context, tip, wallet, waiting)
  await offerPsbts(context, await selectPsbts(db, blockchain, MOST_HANDED))
}

async function makePsbts(
  context: AgentContext,
  tip: BlockPosition,
  wallet: ColdWallet,
  waiting: readonly Withdrawal[],
): Promise<void> {
  const { rpc, blockchain, config, now } = context
  // It is signed later than now.
  const feeRate = await readFeeRate(rpc, blockchain, { quote: true })
  const dear = waiting.filter((one) => !isAffordable(one, feeRate, config.feeCeilingPercent))
  await notifyWaiting(context, dear, FEE_TOO_HIGH)
  const payable = waiting.filter((one) => !dear.includes(one))
  let coins = await freeCoins(context, wallet)
  let made = 0
  await eachRecord(
    context,
    'withdrawal',
    chooseTried(payable, now),
    async (withdrawal) => {
      if (made >= MADE_PER_STEP) return NOT_TRIED
      const terms = { wallet, coins, feeRate }
      const spends = await makePsbt(context, tip, terms, withdrawal)
      coins = coins.filter((coin) => !spends.includes(coin))
      if (spends.length > 0) made++
      return undefined
    },
    { whole: false, tell: (withdrawal, error) => tellNotMade(context, withdrawal, error) },
  )
}

/** What PSBTs are made with: the wallet, its free coins, and base units for 1,000 vbytes. */
interface PsbtTerms {
  wallet: ColdWallet
  coins: readonly Coin[]
  feeRate: bigint
}

/**
 * Makes the PSBT or the raw transaction of a withdrawal and records it with the coin that each of them spends. Returns what it spends; nothing where
 * it waits.
 */
async function makePsbt(
  context: AgentContext,
  tip: BlockPosition,
  { wallet, coins, feeRate }: PsbtTerms,
  withdrawal: Withdrawal,
): Promise<readonly Coin[]> {
  const { db, blockchain, config, now } = context
  const { id, address, script, amount, fee: debited } = withdrawal
  const payable = await preparePayout(context, tip, withdrawal)
  if (!payable) return []
  const spends = chooseCoins(amount + debited, payable.coin, coins, config.withdrawalInputs)
  const prepared = spends && (await wallet.prepare({ spends, address, script, amount, feeRate }))
  if (!spends || !prepared) {
    await notifyWaiting(context, withdrawal, NO_COINS)
    return []
  }
  const { fee } = prepared
  // What signatures of several cost is the node's to know; what was debited bounds it.
  if (fee * 100n > debited * BigInt(config.feeCeilingPercent)) {
    // Not again with each step: each PSBT takes an address for its change.
    throw new PayoutError(
      `Its transaction would cost ${formatAmount(fee)}, and ${formatAmount(debited)} were debited for the fee.`,
      FEE_TOO_HIGH,
    )
  }
  const { sums } = payable
  const made = await batchIf(db, [
    ...(sums ? [assertPayoutCountStatement(db, blockchain, sums.count, now)] : []),
    ...tieWithdrawalStatements(db, id, spends[0], now),
    ...insertPsbtStatements(db, { withdrawalId: id, blockchain, createdAt: now, ...prepared }, spends),
    noteWaitingStatement(db, id, TO_BE_SIGNED, now),
  ])
  return made ? spends : []
}

/** Confirmed coins of the wallet that nothing else is to spend. */
async function freeCoins({ db, blockchain, config }: AgentContext, wallet: ColdWallet): Promise<Coin[]> {
  const depth = Math.max(COIN_DEPTH, config.chains[blockchain].confirmations)
  const coins = await wallet.listCoins(depth)
  const spent = await selectSpent(db, blockchain, [...new Set(coins.map(({ txid }) => txid))])
  for (const input of await selectPsbtInputs(db, blockchain)) spent.add(outpointOf(input))
  return coins.filter((output) => !spent.has(outpointOf(output)))
}

/**
 * Lets PSBTs be shown that are not yet. Who has one may have it mined, so that it is a payout from then on: its record is in the
 * bucket before, and it is counted in the database and with the agent, by which a database that is older is noticed.
 */
async function offerPsbts(context: StepContext, handed: readonly HandedPsbt[]): Promise<void> {
  const fresh = handed.filter(({ offered }) => !offered)
  if (fresh.length === 0) return
  const { db, bucket, blockchain, numbers } = context
  // As the agent has it: of a database that is restored meanwhile the next number may be one that was used.
  let number = await noticeRestore(context, blockchain, numbers)
  if (number === undefined) return
  const ids = fresh.map(({ withdrawalId }) => withdrawalId)
  const withdrawals = new Map((await selectWithdrawalsById(db, ids)).map((one) => [one.id, one]))
  for (const psbt of fresh) {
    const withdrawal = withdrawals.get(psbt.withdrawalId)
    if (!withdrawal?.coin || withdrawal.ending) continue
    const tied = { ...withdrawal, coin: withdrawal.coin }
    if (await tieToEarlier(context, tied, async () => deletePsbtStatements(db, psbt))) continue
    try {
      await putColdRecord(bucket, psbt, tied, psbt.txid)
    } catch (error) {
      return await stopWithoutRecords(context, error)
    }
    const from = number++
    if (!(await batchIf(db, raisePayoutNumberStatements(db, blockchain, { from, to: number })))) return
    await numbers.write(number)
    await markOfferedStatement(db, psbt).run()
  }
}
