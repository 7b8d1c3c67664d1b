import type { Model } from '../world.ts'

/** The service's clock, which is not the node's: it runs ahead or behind, and is put right again. */
export const jumpingClock: Model = {
  happen(world) {
    const { random, stage } = world
    world.skew = random.chance(0.3) ? 0 : random.integer(-600_000, 900_000)
    stage.log.push(`the service's clock is ${world.skew} ms off`)
  },
  calm(world) {
    world.skew = 0
  },
}
