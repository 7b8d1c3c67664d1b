import type { Model } from '../world.ts'

/** Weather that waits for the moment at which transactions of the service are under way. */
export const badMoment: Model = {
  happen() {},
  turn(world) {
    const { random, models, waiting } = world
    if (waiting.length === 0 || !random.chance(0.4)) return
    const before = world.stage.log.length
    const others = [...models].filter(([name]) => name === 'stale-node' || name === 'wallet-weather')
    const [name, model] = random.pick(others) ?? []
    model?.happen(world)
    if (name && world.stage.log.length > before) world.did(`${name} while transactions waited`)
  },
}
