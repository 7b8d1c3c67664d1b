import { mine } from '../mine.ts'
import { evictedOf } from '../note-history.ts'
import type { Model } from '../world.ts'

/** Blocks of miners whose mempool is not ours: they have only a part of it, or what ours has thrown out. */
export const foreignMiner: Model = {
  happen(world) {
    const { node, random, stage } = world
    const waiting = [...node.mempool.entries.keys()]
    const returned = evictedOf(world).filter(() => random.chance(0.6))
    for (const transaction of returned) node.submit(transaction)
    const known = returned.map(({ txid }) => txid).filter((txid) => node.mempool.entries.has(txid))
    const only = [...waiting.filter((txid) => node.mempool.entries.has(txid) && random.chance(0.3)), ...known]
    stage.log.push(`a foreign miner's block of ${only.length}, ${known.length} of them thrown out before`)
    mine(world, 1, { only })
  },
}
