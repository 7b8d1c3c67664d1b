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

function expectCheap({ cpuMs, mib }: Cost): void {
  expect(cpuMs).toBeLessThan(200)
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
    for (const reader of ['worker', 'reader']) expectCheap(await measure<Cost>('bomb', bomb, reader))
  })
})
