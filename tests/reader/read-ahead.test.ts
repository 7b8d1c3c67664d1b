import { describe, expect, it } from 'vitest'
import { readAhead } from '../../reader/read-ahead.ts'

/** Reads that end only when they are told to. */
function gate() {
  const started: number[] = []
  const waiting = new Map<number, PromiseWithResolvers<number>>()
  return {
    started,
    read: (item: number) => {
      started.push(item)
      const read = Promise.withResolvers<number>()
      waiting.set(item, read)
      return read.promise
    },
    end: (item: number) => waiting.get(item)?.resolve(10 * item),
    fail: (item: number) => waiting.get(item)?.reject(new Error(`no ${item}`)),
  }
}

describe('reading ahead', () => {
  it('gives the results in the order of the items, whichever is read first', async () => {
    const results: number[] = []
    const read = async (item: number) => {
      for (let turn = item; turn < 5; turn++) await Promise.resolve()
      return item
    }
    for await (const result of readAhead([1, 2, 3, 4], 3, read)) results.push(result)
    expect(results).toEqual([1, 2, 3, 4])
  })

  it('never has more under way than it may', async () => {
    const { started, read, end } = gate()
    const results = readAhead([1, 2, 3, 4, 5], 2, read)
    const first = results.next()
    expect(started).toEqual([1, 2])
    end(1)
    await first
    expect(started).toEqual([1, 2])
    const second = results.next()
    expect(started).toEqual([1, 2, 3])
    end(2)
    expect((await second).value).toBe(20)
  })

  it('throws a failed read when its turn comes, not before', async () => {
    const { read, end, fail } = gate()
    const results = readAhead([1, 2], 2, read)
    const first = results.next()
    fail(2)
    end(1)
    expect((await first).value).toBe(10)
    await expect(results.next()).rejects.toThrow('no 2')
  })

  it('of nothing is nothing', async () => {
    expect(await readAhead<number, number>([], 2, async (item) => item).next()).toEqual({
      done: true,
      value: undefined,
    })
  })
})
