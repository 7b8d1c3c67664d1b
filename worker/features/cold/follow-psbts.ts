import { fromHex } from '../../../protocol/bytes.ts'
import { readStripped } from '../../../protocol/transaction.ts'
import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { assertTipStatement, type BlockPosition } from '../../chain/follower/blocks.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { assignKnownSendStatement } from '../wallet/sql/list-sends.ts'
import { assertNotSweptStatement, insertBundleStatement, putSigned } from '../wallet/sql/signed-bytes.ts'
import { markSentStatement } from '../wallet/sql/transaction-states.ts'
import { insertTransactionsStatements } from '../wallet/sql/transactions.ts'
import { type Coin, insertClosedTxChainStatement, selectNextTxChainId } from '../wallet/sql/tx-chains.ts'
import { isOpen, SERVICE } from '../withdrawals/end-withdrawal.ts'
import { selectTransactionsOf } from '../withdrawals/sql/withdrawal-ends.ts'
import { selectWithdrawalsById, type Withdrawal } from '../withdrawals/sql/withdrawals.ts'
import { stopWithoutRecords } from '../writer/record-payouts.ts'
import { findSent } from './find-sent.ts'
import { putColdRecord } from './record-psbt.ts'
import { deletePsbtStatements, type HandedPsbt, selectPsbtInputs } from './sql/psbts.ts'

/**
 * Looks what became of PSBTs that were handed out: one that came back signed, or that the wallet knows for somebody has sent it, goes on as
 * a transaction of ours. One of whose coins another transaction in a block has spent is over, and so is one whose withdrawal is.
 * @throws {NodeError} {@link RpcError}
 */
export async function followPsbts(
  context: AgentContext,
  tip: BlockPosition,
  handed: readonly HandedPsbt[],
): Promise<void> {
  if (handed.length === 0) return
  const { db, blockchain } = context
  const ids = handed.map(({ withdrawalId }) => withdrawalId)
  const withdrawals = new Map((await selectWithdrawalsById(db, ids)).map((one) => [one.id, one]))
  const inputs = Map.groupBy(await selectPsbtInputs(db, blockchain), ({ withdrawalId }) => withdrawalId)
  const spendsOf = ({ withdrawalId }: HandedPsbt) => inputs.get(withdrawalId) ?? []
  const fates = await findSent(
    context,
    handed.map((psbt) => ({ handed: psbt, spends: spendsOf(psbt) })),
  )
  for (const [index, psbt] of handed.entries()) {
    const withdrawal = withdrawals.get(psbt.withdrawalId)
    if (!withdrawal?.coin || !isOpen(withdrawal)) {
      // If it is sent later, it belongs to no withdrawal and is reported as such.
      await batchIf(db, deletePsbtStatements(db, psbt))
      continue
    }
    const { sent, isOver } = fates[index] ?? { sent: undefined, isOver: false }
    const bytes = sent ?? (psbt.signed === undefined ? undefined : fromHex(psbt.signed))
    const { coin } = withdrawal
    if (bytes) {
      const isSent = sent !== undefined
      await adopt(context, tip, { psbt, withdrawal: { ...withdrawal, coin }, spends: spendsOf(psbt), bytes, isSent })
    } else if (isOver) {
      console.warn('psbt_ended', blockchain, psbt.withdrawalId, 'another transaction spends one of its inputs')
      await batchIf(db, [assertTipStatement(db, blockchain, tip), ...deletePsbtStatements(db, psbt)])
    }
  }
}

interface Adopted {
  psbt: HandedPsbt
  withdrawal: Withdrawal & { coin: Coin }
  spends: readonly Pick<Coin, 'txid' | 'vout'>[]
  bytes: Uint8Array
  /** The node has it already. */
  isSent: boolean
}

/** Records a signed transaction, its bytes first, on a tx chain of its own that nothing goes on from. */
async function adopt(
  context: AgentContext,
  tip: BlockPosition,
  { psbt, withdrawal, spends, bytes, isSent }: Adopted,
): Promise<void> {
  const { db, bucket, blockchain, now } = context
  const { withdrawalId, vsize, fee, changeVout, changeValue, changeScript: script } = psbt
  if ((await selectTransactionsOf(db, withdrawalId)).some(({ state }) => state !== 'dead')) {
    // An operator has assigned the same before it was found.
    await batchIf(db, deletePsbtStatements(db, psbt))
    return
  }
  const { txid } = readStripped(bytes)
  if (txid !== psbt.txid) {
    // Only now its txid is known. Its record is there before it is sent, as that of every payout.
    try {
      await putColdRecord(bucket, psbt, withdrawal, txid)
    } catch (error) {
      return await stopWithoutRecords(context, error)
    }
  }
  const { bundle } = await putSigned(bucket, blockchain, [{ bytes }], now)
  const txChain = await selectNextTxChainId(db, blockchain)
  const place = { bundle, offset: 0, length: bytes.length }
  const row = { txid, txChain, seq: 0, itemId: undefined, itemIndex: undefined, withdrawalId, ...place }
  await batchIf(db, [
    assertNotSweptStatement(db, bundle),
    insertBundleStatement(db, blockchain, bundle),
    insertClosedTxChainStatement(db, blockchain, { id: txChain, coin: withdrawal.coin, script, cold: true }),
    ...deletePsbtStatements(db, psbt),
    ...insertTransactionsStatements(db, blockchain, [{ ...row, vsize, fee, changeVout, changeValue, inputs: spends }]),
    assignKnownSendStatement(db, { blockchain, txid, isSweep: withdrawal.userId === SERVICE, loss: 0n }),
    // Put into its block, where it is in one, by the check of what was sent.
    ...(isSent ? [markSentStatement(db, blockchain, [txid], tip.height - 1)] : []),
  ])
}
