import { lookedUp, restoreAt } from '../acts/after-restore.ts'
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
  ...lookedUp,
}

/** Between two calls of whoever works on it, where something happens at an await. */
function restore(world: World): void {
  if (world.restores < MOST && world.moments.length > 0) restoreAt(world)
}
