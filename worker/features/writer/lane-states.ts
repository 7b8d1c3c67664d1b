import type { Lane } from '../wallet/sql/lanes.ts'
import type { OwnTransaction } from '../wallet/sql/transactions.ts'
import { laneCeiling, mostOf, paysEnough, type Quote } from './lane-fees.ts'
import type { LaneState } from './lane-plan.ts'

/** What the fees of lanes are judged by; the fee rate of now in base units per 1,000 vbytes. */
export interface FeeTerms {
  feeRate: bigint
  quotes: readonly Quote[]
  ceilingPercent: number
  dust: bigint
}

/** Open lanes as planning sees them: with the last live transaction of each, and with all that have no block. Pure. */
export function laneStates(
  lanes: readonly Lane[],
  tips: readonly OwnTransaction[],
  unmined: readonly OwnTransaction[],
  { feeRate, quotes, ceilingPercent, dust }: FeeTerms,
): LaneState[] {
  const lasts = new Map(tips.map((tip) => [tip.lane, tip]))
  const laneOf = new Map(unmined.map(({ txid, lane }) => [txid, lane]))
  const byLane = Map.groupBy(unmined, ({ lane }) => lane)
  const moves = (id: number, script: string) => {
    const own = byLane.get(id) ?? []
    const most = mostOf(own, quotes, ceilingPercent, script)
    return !own.some(isHeldUp) && paysEnough(own, script, { feeRate, most, dust })
  }
  return lanes.map(({ id, coin, script }) => {
    const last = lasts.get(id)
    const own = byLane.get(id) ?? []
    const source = last ? undefined : laneOf.get(coin.txid)
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
      ...laneCeiling(own, quotes, ceilingPercent),
    }
  })
}

/** Whether nothing behind a transaction gets any further: the node has refused it, or what it spends is gone. */
function isHeldUp({ state, checkedHeight, spentHeight }: OwnTransaction): boolean {
  return spentHeight !== undefined || (state === 'signed' && checkedHeight !== undefined)
}
