import type { World } from '../world.ts'

/**
 * A part of the weather that a service meets. `begin` prepares the world, `happen` is one event, at any await of the
 * service, and `calm` ends what is still going on: money must then find its way.
 */
export interface Model {
  begin?(world: World): void
  happen(world: World): void
  calm?(world: World): void
}
