import { describe, expect, it } from 'vitest'
import { runSeed } from './run-seed.ts'

/**
 * A share of what `npm run test:simulation` runs, which takes minutes; `SEEDS=20000` runs more, `SEED=17` that one alone, and
 * prints what happened in it.
 */
const SEEDS = Number(process.env.SEEDS ?? 20)
const ONLY = process.env.SEED === undefined ? undefined : Number(process.env.SEED)

/** Seeds that a failing run names; the first is as good as all. */
const MAX_NAMED = 10

/** Seeds with this remainder by two: the halves run side by side. */
export function simulate(remainder: 0 | 1): void {
  const seeds = ONLY === undefined ? [...Array(SEEDS + 1).keys()].slice(1) : [ONLY]
  const half = seeds.filter((seed) => seed % 2 === remainder)

  describe.skipIf(half.length === 0)('upload, pay, settle and write under faults, overlaps and reorganisations', () => {
    it(`lose nothing and pay nothing twice, in ${half.length} seeds`, { timeout: 1_200_000 }, async () => {
      const failed: string[] = []
      let faults = 0
      for (const seed of half) {
        const outcome = await runSeed(seed)
        faults += outcome.faults
        if (ONLY !== undefined) console.log(outcome.log.join('\n'))
        if (outcome.problems.length > 0) failed.push(`replay with SEED=${seed}: ${outcome.problems.join('; ')}`)
        if (failed.length >= MAX_NAMED) break
      }
      expect(failed).toEqual([])
      // A simulation in which nothing goes wrong shows nothing.
      if (ONLY === undefined) expect(faults).toBeGreaterThan(half.length)
    })
  })
}
