import { describe, expect, it } from 'vitest'
import {
  countRemaining,
  cutOf,
  firstFree,
  listPayloads,
  type Unwritten,
} from '../../../../worker/features/writer/plan/list-payloads.ts'

/** An item of so many bytes, cut into tens. */
function item(itemId: string, storedSize: number, changes: Partial<Unwritten['write']> = {}, taken: number[] = []) {
  const write = {
    ...{ itemId, storedSize, target: 'Bitcoin' as const, requestId: 'request', state: 'writing' as const },
    ...{ dataBytes: 10, transactions: Math.ceil(storedSize / 10), nextIndex: 0 },
    ...{ cid: undefined, feeRate: 1_000n, refusedRate: undefined, message: undefined, indexOf: undefined },
    ...changes,
  }
  return { write, cut: cutOf(write, 80), taken: new Set(taken) }
}

const ALL = { count: 100, bytes: 1_000 }
const names = (items: readonly Unwritten[], limit = ALL) =>
  listPayloads(items, limit).map(({ itemId, index, length }) => `${itemId}${index}:${length}`)

describe('what is written next', () => {
  it('is a piece of each item in turn, the last one as short as it is', () => {
    expect(names([item('a', 25), item('b', 10)])).toEqual(['a0:10', 'b0:10', 'a1:10', 'a2:5'])
    expect(names([])).toEqual([])
  })

  it('leaves out what has a transaction, and what was there before', () => {
    expect(names([item('a', 60, { nextIndex: 1 }, [2, 3])])).toEqual(['a1:10', 'a4:10', 'a5:10'])
  })

  it('is one piece of an item of which the node has taken nothing, and none while that is on its way', () => {
    expect(names([item('a', 60, { state: 'queued' }), item('b', 20)])).toEqual(['a0:10', 'b0:10', 'b1:10'])
    expect(names([item('a', 60, { state: 'queued' }, [0])])).toEqual([])
  })

  it('ends with the count, or before the first that has no room by its bytes; a single one always has', () => {
    expect(names([item('a', 60)], { count: 2, bytes: 1_000 })).toEqual(['a0:10', 'a1:10'])
    expect(names([item('a', 60)], { count: 100, bytes: 30 })).toEqual(['a0:10', 'a1:10', 'a2:10'])
    expect(names([item('a', 60)], { count: 100, bytes: 29 })).toEqual(['a0:10', 'a1:10'])
    expect(names([item('a', 60)], { count: 100, bytes: 9 })).toEqual(['a0:10'])
  })
})

describe('what is left to be written', () => {
  it('is all that has no transaction; of an item of which the node has taken nothing yet, the first', () => {
    const items = [item('a', 60, { nextIndex: 1 }, [2, 3]), item('b', 900, { state: 'queued' }), item('c', 20)]
    expect(countRemaining(items, [])).toBe(3 + 1 + 2)
    expect(countRemaining(items, listPayloads(items, ALL))).toBe(6)
    expect(countRemaining([], listPayloads(items, ALL))).toBe(6)
  })
})

describe('how an item is cut', () => {
  it('stays as it was begun, and is otherwise what fits into a transaction now', () => {
    const write = { dataBytes: 10, transactions: 16, storedSize: 160 }
    expect(cutOf(write, 80)).toEqual({ dataBytes: 10, transactions: 16 })
    expect(cutOf({ ...write, dataBytes: undefined, transactions: undefined }, 80)).toEqual({
      dataBytes: 80,
      transactions: 2,
    })
    expect(cutOf({ dataBytes: undefined, transactions: undefined, storedSize: 161 }, 80).transactions).toBe(3)
  })

  it('goes on at the first piece that nothing has', () => {
    expect(firstFree(3)).toBe(3)
    expect(firstFree(3, new Set([3, 5]), new Set([4]))).toBe(6)
    expect(firstFree(3, new Set([4]))).toBe(3)
  })
})
