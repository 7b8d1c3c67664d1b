import { restoreAt, settleRestore } from '../acts/after-restore.ts'
import { mine } from '../mine.ts'
import { runAlarm, wakeAgent } from '../run-service.ts'
import type { Model, World } from '../world.ts'

/** Restores of one seed at most. */
const MOST = 2

/** A database that is taken back to an earlier moment, and an operator who looks up what left the wallet since. */
export const restoredDatabase: Model = {
  money: true,
  happen: restore,
  turn(world) {
    const { random, d1, moments } = world
    if (random.chance(0.4)) moments.push(d1.noteMoment())
    else if (random.chance(0.1)) restore(world)
  },
  acts(world) {
    return world.restores > 0 && world.random.chance(0.2) ? [() => settleRestore(world)] : []
  },
  async end(world) {
    for (let round = 0; round < 3; round++) {
      await world.stage.run([() => wakeAgent(world)])
      await world.stage.run([() => runAlarm(world)])
      await world.stage.run([() => settleRestore(world)])
      mine(world)
      world.now += 2_000
    }
  },
}

/** Between two calls of whoever works on it, where something happens at an await. */
function restore(world: World): void {
  if (world.restores < MOST && world.moments.length > 0) restoreAt(world)
}
