import { runEffect } from './effects.ts'
import { mine } from './mine.ts'
import { watchDatabase } from './watch-database.ts'
import { type Model, USERS, World } from './world.ts'

/** The world of a seed, where all effects of the service are those of its stage; `models` are those that may take part. */
export function startWorld(seed: number, models: ReadonlyMap<string, Model>): World {
  const world = new World(seed, models)
  const { d1, r2 } = world
  mine(world, 6)
  d1.reset()
  d1.invocation = () => undefined
  d1.around = (name, effect, asked) =>
    runEffect(world, name, () => new Error(`D1_ERROR: Network connection lost. (${name})`), effect, asked)
  r2.around = (name, effect, asked) => runEffect(world, name, () => new Error(`put: failed (${name})`), effect, asked)
  for (const user of USERS) {
    d1.rows(
      `INSERT INTO users (id, email, password_hash, first_name, last_name, status, created_at) VALUES (?1, ?1 || '@example.org', '', ?1, '', 1, 0)`,
      user,
    )
  }
  watchDatabase(world)
  for (const model of world.models.values()) model.begin?.(world)
  return world
}
