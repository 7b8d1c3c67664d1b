import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'costs/run.ts')

/** The highest costs of readings. */
interface Cost {
  cpuMs: number
  mib: number
}

async function measure<T>(...args: (string | number)[]): Promise<T> {
  const program = ['--disable-warning=ExperimentalWarning', PROGRAM, ...args.map(String)]
  const { stdout } = await promisify(execFile)(process.execPath, program)
  return JSON.parse(stdout)
}

/**
 * Milliseconds for 32 MiB of sections, of which 7,500 are read: 95 to 230, on idle cores and on those of CI. All of them, were
 * there no limit, take 14,000.
 */
const MOST_OF_BOMB = 400

function expectCheap({ cpuMs, mib }: Cost, mostCpuMs = 200): void {
  expect(cpuMs).toBeLessThan(mostCpuMs)
  expect(mib).toBeLessThan(64)
}

describe('what is on a chain and looks like a website or an index', () => {
  it('R31: costs little, altered in ten thousand ways: each of them', { timeout: 600_000 }, async () => {
    const costs = await measure<Record<string, Cost>>('mutants', 10_000, 29)
    expect(Object.keys(costs)).toEqual(['worker', 'reader', 'indexes', 'longest'])
    for (const cost of Object.values(costs)) expectCheap(cost)
  })

  it.each([
    ['blocks of no bytes', 0],
    ['inlined blocks', 1],
    ['no CID', 2],
    ['a length that nothing follows', 3],
  ])('R31: costs little where 32 MiB are sections of %s, to the Worker and to the others', async (_, bomb) => {
    for (const reader of ['worker', 'reader']) {
      expectCheap(await measure<Cost>('bomb', bomb, reader), MOST_OF_BOMB)
    }
  })
})
