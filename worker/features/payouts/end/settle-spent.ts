import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'
import { readUnspent, readWalletTransactions } from '../../../chain/rpc/transaction-methods.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { assignKnownSendStatement } from '../../transactions/sql/list-sends.ts'
import { insertLostPayoutStatements } from '../../transactions/sql/lost-payouts.ts'
import {
  reviveTransactionStatement,
  selectDeadTransactions,
  selectTransactionsOf,
} from '../../transactions/sql/payout-transactions.ts'
import { selectNextTxChainId } from '../../transactions/sql/tx-chains.ts'
import { getLastPayout } from '../record/payout-records.ts'
import { tieToPayoutStatements } from '../sql/tie-to-payouts.ts'
import type { Withdrawal } from '../sql/withdrawals.ts'
import { debitLostFee } from './debit-lost.ts'
import { SERVICE } from './end-withdrawal.ts'

/** Why a withdrawal can't be paid now: `message` is for operators, `told` for its owner. */
export class PayoutError extends Error {
  readonly told: string
  constructor(message: string, told: string) {
    super(message)
    this.told = told
  }
}

const COIN_SPENT =
  "The coin of the service's wallet that it is to be paid with has been spent otherwise. The operator has to decide about it."

/** The coin of a withdrawal is spent, and not by a payout of it that is known. */
function coinSpent(lastPayout?: string): PayoutError {
  const spent =
    'The coin that it is to be paid with is spent: by somebody else with the wallet, or in a block that is gone.'
  const last = lastPayout === undefined ? '' : ` Its last payout was ${lastPayout}.`
  const end = ' POST /v0/operate/withdrawal/<id> with "refund" or "paid_elsewhere" ends it.'
  return new PayoutError(`${spent}${last}${end}`, COIN_SPENT)
}

/**
 * Handles a withdrawal without a live transaction whose coin is spent. If a dead transaction of its own spent it, that
 * one counts as sent again. If a transaction that a restored database has lost spent it, that one is recorded again.
 * @throws {PayoutError} if another one spent it: the coin may be unspent again after a reorganisation.
 */
export async function settleSpent(context: AgentContext, tip: BlockPosition, withdrawal: Withdrawal): Promise<void> {
  const { id, userId, amount } = withdrawal
  const { db, bucket, rpc, blockchain, now } = context
  const dead = await selectDeadTransactions(db, id)
  const known = await readWalletTransactions(rpc, dead)
  const txid = dead[known.findIndex((one) => one !== undefined && one.confirmations >= 0)]
  if (txid !== undefined) {
    await batchIf(db, [reviveTransactionStatement(db, blockchain, txid, tip.height)])
    return
  }
  const last = await getLastPayout(bucket, blockchain, id)
  if (!last) throw coinSpent()
  const [lost] = await readWalletTransactions(rpc, [last.txid])
  if (!lost || lost.confirmations < 0) throw coinSpent(last.txid)
  const txChain = await selectNextTxChainId(db, blockchain)
  const { loss, statements } = await debitLostFee(db, withdrawal, last.paid, now)
  await batchIf(db, [
    ...statements,
    ...tieToPayoutStatements(db, id, last.paid.coin, now),
    ...insertLostPayoutStatements(db, { blockchain, ...last, withdrawalId: id, txChain, height: tip.height }),
    insertAuditStatement(db, {
      ...{ at: now, actor: 'service', account: userId, act: 'send.assigned', subject: `transaction:${last.txid}` },
      ...{ reason: 'withdrawal: as its record says', blockchain, amount },
    }),
    assignKnownSendStatement(db, { blockchain, txid: last.txid, isSweep: userId === SERVICE, loss }),
  ])
}

/** What is known of the last payout of a withdrawal whose coin is spent in a block. */
interface LastPayout {
  txid: string
  /**
   * `impossible` if another one replaced it or the operator abandoned it; `unknown` if neither can be proved: the
   * wallet has lost a transaction that the node once accepted.
   */
  fate: 'mined' | 'impossible' | 'unknown'
}

/** What became of the last payout of a withdrawal, by its outputs, the wallet and the database; `undefined` where none is stored. */
export async function readLastPayout(context: AgentContext, withdrawalId: string): Promise<LastPayout | undefined> {
  const { db, bucket, rpc, blockchain } = context
  const last = await getLastPayout(bucket, blockchain, withdrawalId)
  if (!last) return undefined
  const { txid } = last
  const [known] = await readWalletTransactions(rpc, [txid])
  // One output pays the customer, the other is change.
  const outputs = [0, 1].map((vout) => ({ txid, vout }))
  if ((known?.confirmations ?? 0) > 0 || (await readUnspent(rpc, outputs)).includes(true))
    return { txid, fate: 'mined' }
  const own = (await selectTransactionsOf(db, withdrawalId)).find((one) => one.txid === txid)
  const isReplaced = known !== undefined && (known.confirmations < 0 || known.abandoned)
  const wasTaken = known !== undefined || !own || own.sentHeight !== null
  return { txid, fate: isReplaced || !wasTaken ? 'impossible' : 'unknown' }
}
