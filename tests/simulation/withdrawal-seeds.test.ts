import { expect, it } from 'vitest'
import { runSeed } from './run-seed.ts'
import { World } from './world.ts'

const ONLY = process.env.SEED === undefined ? undefined : Number(process.env.SEED)
/** A share of what `npm run test:simulation` runs; `SEED=50` runs that one alone, and prints what happened in it. */
const SEEDS = ONLY === undefined ? Array.from({ length: 12 }, (_, index) => 17 + index) : [ONLY]

it('pays each withdrawal once or says why not, under faults, overlaps and reorganisations', async () => {
  const failed: string[] = []
  let paid = 0
  for (const seed of SEEDS) {
    const { problems, log } = await runSeed(seed, { withdrawals: true })
    if (ONLY !== undefined) console.log(log.join('\n'))
    if (problems.length > 0) failed.push(`seed ${seed}: ${problems.join('; ')}`)
    paid += World.d1().rows(`SELECT 1 FROM withdrawals WHERE state = 'confirmed'`).length
  }
  expect(failed).toEqual([])
  // Without withdrawals nothing would be shown.
  if (ONLY === undefined) expect(paid).toBeGreaterThan(0)
}, 300_000)
