import type { Model } from '../world.ts'

/** How often as much as usual the market asks: from nothing going on to a rush. */
const FACTORS = [1n, 1n, 2n, 5n, 12n, 50n]

/** Fees that rise and fall, miners who take nothing below them, and a node that has no estimate for a while. */
export const feeMarket: Model = {
  happen({ node, random, stage }) {
    const factor = random.pick(FACTORS) ?? 1n
    const usual = node.settings.walletFeeRate
    node.feeEstimate = random.chance(0.1) ? 'none' : (usual * factor) / (random.chance(0.3) ? 2n : 1n)
    // Some miners follow the market at once, most of what waits is not mined until then.
    if (random.chance(0.4)) node.reconfigure({ blockMinFeeRate: (usual * factor) / 2n })
    stage.log.push(`fee estimate ${node.feeEstimate}, miners take ${node.settings.blockMinFeeRate}`)
  },
  calm({ node, usual }) {
    node.feeEstimate = undefined
    node.reconfigure({ blockMinFeeRate: usual.blockMinFeeRate })
  },
}
