import { crowd } from '../pay.ts'
import type { Model } from '../world.ts'

/** A mempool so small that others' transactions push ours out, and that asks for more until the next block. */
export const fullMempool: Model = {
  happen(world) {
    const { node, random, stage } = world
    if (random.chance(0.5)) {
      node.reconfigure({ maxMempoolBytes: random.integer(400, 4_000) })
      stage.log.push(`mempool of ${node.settings.maxMempoolBytes} vbytes`)
    }
    for (let i = random.integer(1, 4); i > 0; i--) crowd(world, BigInt(random.integer(1, 30)))
  },
  calm({ node, usual }) {
    node.reconfigure({ maxMempoolBytes: usual.maxMempoolBytes })
    node.mempool.minFeeRate = 0n
  },
}
