import { expect, it } from 'vitest'
import { readFile } from '../../../../../worker/content/ipfs/dag/read-file.ts'
import { MemoryBudget, memoryOf } from '../../../../../worker/platform/flow/memory-budget.ts'
import { DagFixture, randomBytes } from '../dag-fixture.ts'
import { openSource } from '../open-source.ts'

it('a large file takes memory for two of its pieces while it is read, and gives it back where the reader leaves', async () => {
  const dag = new DagFixture()
  const cid = await dag.addFile(randomBytes(3_000_000))
  await dag.store()
  const budget = new MemoryBudget(8 << 20)
  const source = { ...openSource(), take: memoryOf(undefined, budget) }
  const node = await source.read(cid)
  if (node.kind !== 'file') throw new Error('it is no file')

  const whole = readFile(source, node, { start: 0, end: 2_999_999 })
  const first = await whole.next()
  expect(first.done).toBe(false)
  const piece = first.value?.length ?? 0
  expect(budget.used).toBe(2 * piece)
  await whole.return(undefined)
  expect(budget.used).toBe(0)

  const part = readFile(source, node, { start: 0, end: 99 })
  await part.next()
  expect(budget.used).toBe(0)
  await part.return(undefined)
})
