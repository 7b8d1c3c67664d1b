import type { Lane } from '../wallet/sql/lanes.ts'
import type { OwnTransaction } from '../wallet/sql/transactions.ts'
import type { LaneState } from './plan-lanes.ts'

/** What planning has to know of a transaction in a lane. */
type LaneTransaction = Pick<OwnTransaction, 'txid' | 'lane' | 'seq' | 'changeVout' | 'changeValue' | 'vsize' | 'state'>

/** Open lanes as planning sees them: with the last live transaction of each, and with all that have no block. Pure. */
export function laneStates(
  lanes: readonly Lane[],
  tips: readonly LaneTransaction[],
  unmined: readonly LaneTransaction[],
): LaneState[] {
  const lasts = new Map(tips.map((tip) => [tip.lane, tip]))
  const waiting = new Set(unmined.map(({ txid }) => txid))
  return lanes.map(({ id, coin, script }) => {
    const last = lasts.get(id)
    const own = unmined.filter(({ lane }) => lane === id)
    return {
      id,
      script,
      tip: last ? { txid: last.txid, vout: last.changeVout, value: last.changeValue, script } : coin,
      seq: last ? last.seq + 1 : 0,
      unconfirmed: own.length,
      vbytes: own.reduce((sum, { vsize }) => sum + vsize, 0),
      // What was signed is sent first; a coin split off is used once it is confirmed.
      ready: last ? own.every(({ state }) => state === 'sent') : !waiting.has(coin.txid),
    }
  })
}
