import { outpointOf } from '../../../../protocol/transaction.ts'
import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import { recordFailure } from '../../../chain/follower/each-record.ts'
import { deleteFailedRecordStatement, selectFailedRecords } from '../../../chain/follower/failed-records.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { assertNotSweptStatement, insertBundleStatement, putSigned } from '../sql/signed-bytes.ts'
import { markDeadStatements } from '../sql/transaction-states.ts'
import { insertTransactionsStatements, type SignedTransaction } from '../sql/transactions.ts'
import { closeTxChainsStatement, insertTxChainsStatement, type TxChain } from '../sql/tx-chains.ts'
import { signPlan } from './sign-plan.ts'
import type { Plan, PlannedTransaction } from './tx-chain-plan.ts'

/**
 * Signs a plan and stores it: first the bytes, then their records in one transaction of the database, together with the
 * statements of `recordOf` for those that were signed; without `dataOf` they carry nothing. Nothing is sent before.
 * Returns `false` if another step has planned in between, or if this one was so slow that the bytes were swept.
 * @throws {NodeError} {@link RpcError}
 */
export async function signAndStore(
  context: AgentContext,
  plan: Plan,
  dataOf: (planned: PlannedTransaction) => Uint8Array | undefined = () => undefined,
  recordOf: (signed: readonly PlannedTransaction[]) => readonly D1PreparedStatement[] = () => [],
): Promise<boolean> {
  const { db, bucket, rpc, blockchain, now } = context
  const { signed, failed } = await signPlan(rpc, blockchain, plan.transactions, dataOf)
  const opened = plan.opened.filter(({ id }) => !failed.has(id))
  const failedRecords = new Map((await selectFailedRecords(db, blockchain, 'tx_chain')).map((row) => [row.id, row]))
  for (const [txChain, error] of failed) {
    const id = nameOf(plan, txChain)
    await recordFailure(context, 'tx_chain', id, error, failedRecords.get(id)?.tries)
  }
  const mended = opened.map(({ id }) => nameOf(plan, id)).filter((id) => failedRecords.has(id))
  const ended = [...failed.keys()].filter((id) => !plan.opened.some((txChain) => txChain.id === id))
  if (signed.length === 0) {
    if (ended.length > 0) await closeTxChainsStatement(db, blockchain, ended).run()
    return ended.length > 0
  }
  const { bundle, kept } = await putSigned(bucket, blockchain, signed, now)
  const txChains: TxChain[] = [...opened]
  const rows: SignedTransaction[] = kept.map(({ planned, txid, bytes, inputs, changeVout, offset }) => {
    planned.splits.forEach(({ txChain, value }, at) => {
      const { script } = planned
      txChains.push({ id: txChain, coin: { txid, vout: changeVout + 1 + at, value, script }, script })
    })
    return {
      txid,
      txChain: planned.txChain,
      seq: planned.seq,
      itemId: planned.payload?.itemId,
      itemIndex: planned.payload?.index,
      withdrawalId: planned.pays?.withdrawalId,
      bundle,
      offset,
      length: bytes.length,
      vsize: planned.vsize,
      fee: planned.fee,
      changeVout,
      changeValue: planned.change,
      inputs,
    }
  })
  return await batchIf(db, [
    assertNotSweptStatement(db, bundle),
    insertBundleStatement(db, blockchain, bundle),
    closeTxChainsStatement(db, blockchain, [...plan.closed, ...ended]),
    insertTxChainsStatement(db, blockchain, txChains),
    ...(mended.length > 0 ? [deleteFailedRecordStatement(db, blockchain, 'tx_chain', mended)] : []),
    ...markDeadStatements(db, blockchain, plan.replaced ?? []),
    ...insertTransactionsStatements(db, blockchain, rows),
    ...recordOf(signed.map(({ planned }) => planned)),
  ])
}

/** What is recorded as failed of a tx chain that the wallet can't sign for: it ends; or the coin that it was to begin with, which is left alone for a while. */
function nameOf(plan: Plan, txChain: number): string {
  const coin = plan.opened.find(({ id }) => id === txChain)?.coin
  return coin ? outpointOf(coin) : String(txChain)
}
