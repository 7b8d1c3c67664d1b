import { expect, it } from 'vitest'
import { runSeed } from './run-seed.ts'
import { World } from './world.ts'

const SEEDS = 30

it('pays each withdrawal once or says why not, under faults, overlaps and reorganisations', async () => {
  const failed: string[] = []
  let paid = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { problems } = await runSeed(seed, { withdrawals: true })
    if (problems.length > 0) failed.push(`seed ${seed}: ${problems.join('; ')}`)
    paid += World.d1().rows(`SELECT 1 FROM withdrawals WHERE state = 'confirmed'`).length
  }
  expect(failed).toEqual([])
  // Without withdrawals nothing would be shown.
  expect(paid).toBeGreaterThan(5)
}, 300_000)
