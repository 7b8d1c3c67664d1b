import { lookedUp, restoreAt } from '../acts/after-restore.ts'
import type { Model, World } from '../world.ts'

/** Restores of one seed at most. */
const MOST = 2

/**
 * A machine that is taken back to an earlier moment, with database, bucket and what the agent stored: all but the node and its wallet.
 * Nothing of the service runs meanwhile.
 */
export const restoredMachine: Model = {
  money: true,
  happen() {},
  turn(world) {
    const { random, d1, r2, stored, moments, copies } = world
    if (random.chance(0.4)) {
      const moment = d1.noteMoment()
      moments.push(moment)
      copies.set(moment, { objects: new Map(r2.objects), stored: new Map(stored) })
    } else if (random.chance(0.15)) restore(world)
  },
  ...lookedUp,
}

function restore(world: World): void {
  const { random, r2, stored, moments, copies } = world
  const at = random.pick([...moments.keys()].filter((index) => copies.has(moments[index] ?? 0)))
  const copy = at === undefined ? undefined : copies.get(moments[at] ?? 0)
  if (at === undefined || !copy || world.restores >= MOST) return
  restoreAt(world, at)
  world.stage.log.push('so are bucket and objects')
  for (const [map, kept] of [
    [r2.objects, copy.objects],
    [stored, copy.stored],
  ] as [Map<string, unknown>, Map<string, unknown>][]) {
    map.clear()
    for (const [key, value] of kept) map.set(key, value)
  }
}
