import { expect, inject, it } from 'vitest'
import { runHostileLoad } from '../../bench/hostile-load.ts'
import { readModules } from '../../scripts/bundle-worker.ts'

const CACHE_BYTES = 1 << 20
const D1_BYTES = 8 << 20

it('what strangers send fills no more of R2 and D1 than is set, and honest readers are answered beside it', async () => {
  const load = {
    modules: await readModules(inject('workerBundle')),
    seconds: 20,
    connections: 16,
    cacheBytes: CACHE_BYTES,
  }
  const { hostile, honest, kept, database } = await runHostileLoad(load)
  expect(Object.keys(hostile).length).toBeGreaterThan(0)
  expect(honest.reads).toBeGreaterThan(0)
  expect(honest.failed).toEqual([])
  expect(kept.ipfs).toBeGreaterThan(0)
  expect(kept.ipfs).toBeLessThanOrEqual(CACHE_BYTES * kept.hours)
  expect(kept.chain).toBeLessThanOrEqual(CACHE_BYTES * kept.hours)
  expect(database.after - database.before).toBeLessThan(D1_BYTES)
})
