import type { Model } from '../world.ts'

/** Two agents of the chain at work at once, most of the time: one that the platform has not ended yet, and its successor. */
export const twoAgents: Model = {
  money: true,
  begin(world) {
    world.twoAtOnce = 0.7
  },
  happen() {},
}
