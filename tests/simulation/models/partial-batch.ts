import type { Model } from '../world.ts'

/** A node that stops in the middle of a batch: what it did until then is done, and nobody hears of it. */
export const partialBatch: Model = {
  happen(world) {
    world.cutBatchAfter = world.random.integer(0, 3)
  },
  calm(world) {
    world.cutBatchAfter = undefined
  },
}
