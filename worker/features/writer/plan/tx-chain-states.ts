import { maxFeeOf, paysEnough, type Quote, txChainCeiling } from '../../transactions/sign/tx-chain-fees.ts'
import type { TxChainState } from '../../transactions/sign/tx-chain-plan.ts'
import type { OwnTransaction } from '../../transactions/sql/transactions.ts'
import type { TxChain } from '../../transactions/sql/tx-chains.ts'

/** What the fees of tx chains are evaluated with; the fee rate of now in base units per 1,000 vbytes. */
export interface FeeTerms {
  feeRate: bigint
  quotes: readonly Quote[]
  ceilingPercent: number
  dust: bigint
}

/** Open tx chains as planning sees them: with the last live transaction of each, and with all that have no block. Pure. */
export function txChainStates(
  txChains: readonly TxChain[],
  tips: readonly OwnTransaction[],
  unmined: readonly OwnTransaction[],
  { feeRate, quotes, ceilingPercent, dust }: FeeTerms,
): TxChainState[] {
  const lasts = new Map(tips.map((tip) => [tip.txChain, tip]))
  const txChainOf = new Map(unmined.map(({ txid, txChain }) => [txid, txChain]))
  const byTxChain = Map.groupBy(unmined, ({ txChain }) => txChain)
  const moves = (id: number, script: string) => {
    const own = byTxChain.get(id) ?? []
    const most = maxFeeOf(own, quotes, ceilingPercent, script)
    return !own.some(isHeldUp) && paysEnough(own, script, { feeRate, most, dust })
  }
  return txChains.map(({ id, coin, script }) => {
    const last = lasts.get(id)
    const own = byTxChain.get(id) ?? []
    const source = last ? undefined : txChainOf.get(coin.txid)
    return {
      id,
      script,
      tip: last ? { txid: last.txid, vout: last.changeVout, value: last.changeValue, script } : coin,
      seq: last ? last.seq + 1 : 0,
      unconfirmed: own.length,
      vbytes: own.reduce((sum, { vsize }) => sum + vsize, 0),
      // What was signed is sent first; a coin split off is used once it is confirmed.
      ready: last ? own.every(({ state }) => state === 'sent') : source === undefined,
      moves: moves(id, script) && (source === undefined || moves(source, script)),
      ...txChainCeiling(own, quotes, ceilingPercent),
    }
  })
}

/** Whether nothing behind a transaction gets any further: the node has refused it, or what it spends is gone. */
function isHeldUp({ state, checkedHeight, spentHeight }: OwnTransaction): boolean {
  return spentHeight !== undefined || (state === 'signed' && checkedHeight !== undefined)
}
