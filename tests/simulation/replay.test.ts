import { expect, it } from 'vitest'
import { runSeed } from './run-seed.ts'
import { World } from './world.ts'

/** What a seed came to, with the ids that were drawn in it. */
async function run(seed: number): Promise<unknown> {
  const { problems, log, checked, done } = await runSeed(seed, { withdrawals: true })
  const ids = World.d1().rows('SELECT id FROM withdrawals UNION ALL SELECT bundle FROM signed_bundles')
  return { problems, log, checked, done, ids }
}

it('replays a seed alike, whatever ran before it', async () => {
  const [first, other] = [await run(16), await run(1)]
  // What their runs keep is there now, of keys and of what the service remembers.
  expect(await run(1)).toEqual(other)
  expect(await run(16)).toEqual(first)
}, 60_000)
