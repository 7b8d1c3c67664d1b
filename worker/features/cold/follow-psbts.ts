import { fromHex } from '../../../protocol/bytes.ts'
import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { assertTipStatement, type BlockPosition } from '../../chain/follower/blocks.ts'
import { readUnspent, readWalletTransactions } from '../../chain/rpc/transaction-methods.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { assertNotSweptStatement, insertBundleStatement, putSigned } from '../wallet/sql/signed-bytes.ts'
import { markSentStatement } from '../wallet/sql/transaction-states.ts'
import { insertTransactionsStatements } from '../wallet/sql/transactions.ts'
import { type Coin, insertColdTxChainStatement, selectNextTxChainId } from '../wallet/sql/tx-chains.ts'
import { isOpen } from '../withdrawals/end-withdrawal.ts'
import { selectWithdrawalsById } from '../withdrawals/sql/withdrawals.ts'
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
  const { db, rpc, blockchain } = context
  const known = await readWalletTransactions(
    rpc,
    handed.map(({ txid }) => txid),
  )
  const ids = handed.map(({ withdrawalId }) => withdrawalId)
  const withdrawals = new Map((await selectWithdrawalsById(db, ids)).map((one) => [one.id, one]))
  const inputs = Map.groupBy(await selectPsbtInputs(db, blockchain), ({ withdrawalId }) => withdrawalId)
  for (const [index, psbt] of handed.entries()) {
    const withdrawal = withdrawals.get(psbt.withdrawalId)
    if (!withdrawal?.coin || !isOpen(withdrawal)) {
      // What is sent of it after all is nobody's, and is told so.
      await batchIf(db, deletePsbtStatements(db, psbt))
      continue
    }
    const found = known[index]
    const isSent = found !== undefined && found.confirmations >= 0
    const bytes = isSent ? found.bytes : psbt.signed === undefined ? undefined : fromHex(psbt.signed)
    const spends = inputs.get(psbt.withdrawalId) ?? []
    if (bytes) await adopt(context, tip, { psbt, coin: withdrawal.coin, spends, bytes, isSent })
    else if ((await readUnspent(rpc, spends)).includes(false)) {
      console.warn('psbt_ended', blockchain, psbt.withdrawalId, 'another transaction spends one of its inputs')
      await batchIf(db, [assertTipStatement(db, blockchain, tip), ...deletePsbtStatements(db, psbt)])
    }
  }
}

interface Adopted {
  psbt: HandedPsbt
  coin: Coin
  spends: readonly Pick<Coin, 'txid' | 'vout'>[]
  bytes: Uint8Array
  /** The node has it already. */
  isSent: boolean
}

/** Records a signed transaction, its bytes first, on a tx chain of its own that nothing goes on from. */
async function adopt(
  { db, bucket, blockchain, now }: AgentContext,
  tip: BlockPosition,
  { psbt, coin, spends, bytes, isSent }: Adopted,
): Promise<void> {
  const { txid, withdrawalId, vsize, fee, changeVout, changeValue, changeScript: script } = psbt
  const { bundle } = await putSigned(bucket, blockchain, [{ bytes }], now)
  const txChain = await selectNextTxChainId(db, blockchain)
  const place = { bundle, offset: 0, length: bytes.length }
  const row = { txid, txChain, seq: 0, itemId: undefined, itemIndex: undefined, withdrawalId, ...place }
  await batchIf(db, [
    assertNotSweptStatement(db, bundle),
    insertBundleStatement(db, blockchain, bundle),
    insertColdTxChainStatement(db, blockchain, { id: txChain, coin, script }),
    ...deletePsbtStatements(db, psbt),
    ...insertTransactionsStatements(db, blockchain, [{ ...row, vsize, fee, changeVout, changeValue, inputs: spends }]),
    // Put into its block, where it is in one, by the check of what was sent.
    ...(isSent ? [markSentStatement(db, blockchain, [txid], tip.height - 1)] : []),
  ])
}
