import type { AgentContext } from '../chain-follower/agent-context.ts'
import { batchIf } from '../storage/guarded-batch.ts'
import { closeLanesStatement, insertLanesStatement, type Lane } from '../storage/writes/lanes.ts'
import { assertNotSweptStatement, putSigned } from '../storage/writes/signed-bytes.ts'
import { insertTransactionsStatements, type SignedTransaction } from '../storage/writes/transactions.ts'
import type { Plan, PlannedTransaction } from './plan-lanes.ts'
import { signPlan } from './sign-plan.ts'

/**
 * Has a plan signed and keeps it: the bytes first, then all that is to be known of them in one transaction of the
 * database, together with `also`. Nothing is sent before. `false` when another had planned meanwhile, or when this
 * took so long that the bytes were swept.
 * @throws {NodeError} {@link RpcError}
 */
export async function signAndStore(
  context: AgentContext,
  plan: Plan,
  dataOf: (planned: PlannedTransaction) => Uint8Array | undefined,
  also: readonly D1PreparedStatement[],
): Promise<boolean> {
  const { db, bucket, rpc, blockchain, now } = context
  const signed = await signPlan(rpc, blockchain, plan.transactions, dataOf)
  const { bundle, offsets } = await putSigned(bucket, blockchain, signed, now)
  const lanes: Lane[] = [...plan.opened]
  const rows: SignedTransaction[] = signed.map(({ planned, txid, bytes, inputs, changeVout }, index) => {
    planned.splits.forEach(({ lane, value }, at) => {
      const { script } = planned
      lanes.push({ id: lane, coin: { txid, vout: changeVout + 1 + at, value, script }, script })
    })
    return {
      txid,
      lane: planned.lane,
      seq: planned.seq,
      itemId: planned.payload?.itemId,
      itemIndex: planned.payload?.index,
      bundle,
      offset: offsets[index] ?? 0,
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
    closeLanesStatement(db, blockchain, plan.closed),
    insertLanesStatement(db, blockchain, lanes),
    ...insertTransactionsStatements(db, blockchain, rows),
    ...also,
  ])
}
