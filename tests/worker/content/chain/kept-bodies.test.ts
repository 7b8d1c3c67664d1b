import { describe, expect, it, vi } from 'vitest'
import type { ContentRecord } from '../../../../worker/content/chain/content-record.ts'
import { KeptBodies } from '../../../../worker/content/chain/kept-bodies.ts'
import { MemoryBudget, MemoryShare } from '../../../../worker/platform/flow/memory-budget.ts'
import type { SizedBody } from '../../../../worker/platform/http/respond.ts'

const MOST = 8 << 20
const SIZE = 3 << 20
const STEP = 1 << 20

/** A record whose bytes are all `value`, read in steps of one buffer. */
function record(value: number, size = SIZE): ContentRecord & { body: SizedBody } {
  async function* read({ start, end }: { start: number; end: number }) {
    const buffer = new Uint8Array(STEP)
    for (let at = start; at <= end; at += STEP) {
      yield buffer.subarray(0, Math.min(STEP, end + 1 - at)).fill(value)
      buffer.fill(0)
    }
  }
  return { body: { kind: 'file', size, read }, form: { encoding: 'identity' } }
}

function open() {
  const budget = new MemoryBudget(MOST)
  const kept = new KeptBodies(budget)
  const again = vi.fn(async (): Promise<ContentRecord | undefined> => record(9))
  /** Requests a content, and reads it whole unless told. */
  const request = async (name: string, value: number, range = { start: 0, end: SIZE - 1 }) => {
    const found = kept.get(name, again)
    const { body } = found ?? kept.keepWhenRead(name, record(value))
    if (body instanceof Uint8Array) throw new Error('The body is not read in steps.')
    const values = new Set<number>()
    let read = 0
    for await (const part of body.read(range)) {
      for (const byte of [part[0], part.at(-1)]) values.add(byte ?? -1)
      read += part.length
    }
    return { from: found ? 'memory' : 'tier', values: [...values], read }
  }
  return { budget, kept, again, request }
}

describe('contents above a mebibyte', () => {
  it('are read from memory from their third request on, whole and by ranges, and count in the budget', async () => {
    const { budget, request } = open()
    expect(await request('a', 1)).toEqual({ from: 'tier', values: [1], read: SIZE })
    expect(budget.used).toBe(0)
    expect(await request('a', 1)).toEqual({ from: 'tier', values: [1], read: SIZE })
    expect(budget.used).toBe(SIZE)
    expect(await request('a', 2)).toEqual({ from: 'memory', values: [1], read: SIZE })
    expect(await request('a', 2, { start: 5, end: 104 })).toEqual({ from: 'memory', values: [1], read: 100 })
  })

  it('give way to one that is requested again, the least recently used first, and to none that is requested once', async () => {
    const { budget, request } = open()
    for (const name of ['a', 'a', 'b']) await request(name, 1)
    expect([(await request('a', 2)).from, budget.used]).toEqual(['memory', SIZE])
    await request('b', 1)
    expect([(await request('b', 2)).from, (await request('a', 2)).from, budget.used]).toEqual(['memory', 'tier', SIZE])
  })

  it('are given up as soon as somebody waits for the bytes, and count until their last reader has ended', async () => {
    const { budget, kept, again, request } = open()
    await request('a', 1)
    await request('a', 1)
    const reader = kept.get('a', again)
    const late = kept.get('a', again)
    if (!reader || !late || reader.body instanceof Uint8Array || late.body instanceof Uint8Array)
      throw new Error('not kept')
    const whole = { start: 0, end: SIZE - 1 }
    const steps = reader.body.read(whole)
    expect((await steps.next()).value?.[0]).toBe(1)
    const waiting = new MemoryShare(budget, { use: 'gather', client: 'x', bytes: MOST - STEP }, vi.fn())
    budget.join(waiting, 0, false)
    expect([budget.mayHave(waiting, 0), budget.used]).toEqual([false, SIZE])
    let left = 0
    for await (const part of steps) left += part.length
    expect([left > 0, budget.used, budget.mayHave(waiting, 0)]).toEqual([true, 0, true])
    // What was requested before, and begins to read now, is read from its tier.
    expect((await late.body.read(whole).next()).value?.[0]).toBe(9)
    expect(again).toHaveBeenCalledOnce()
  })

  it('stay where somebody waits for other readers to end, and not for bytes', async () => {
    const { budget, request } = open()
    await request('a', 1)
    await request('a', 1)
    const readers = Array.from({ length: 8 }, () => {
      const reader = new MemoryShare(budget, { use: 'read', client: undefined, bytes: 1 }, vi.fn())
      budget.join(reader, 0, false)
      return budget.mayHave(reader, 0)
    })
    expect(readers.filter((has) => !has).length).toBe(2)
    expect((await request('a', 2)).from).toBe('memory')
  })

  it('give a copy of a range of at most a mebibyte, which outlives them', async () => {
    const { kept, again, request } = open()
    await request('a', 1)
    await request('a', 1)
    const body = kept.get('a', again)?.body
    if (!body || body instanceof Uint8Array) throw new Error('not kept')
    const copy = body.copy?.({ start: 5, end: 104 })
    expect(body.copy?.({ start: 0, end: STEP })).toBe(undefined)
    kept.clear()
    expect([copy, body.copy?.({ start: 5, end: 104 })]).toEqual([new Uint8Array(100).fill(1), undefined])
  })

  it('are not kept where a reader stops before the end, where others hold the bytes, or above 12 MiB', async () => {
    const { budget, kept, request } = open()
    await request('a', 1)
    const { body } = kept.keepWhenRead('a', record(1))
    if (body instanceof Uint8Array) throw new Error('The body is not read in steps.')
    for await (const _ of body.read({ start: 0, end: SIZE - 1 })) break
    expect([budget.used, (await request('a', 1)).from]).toEqual([0, 'tier'])
    kept.clear()
    expect(budget.used).toBe(0)
    const held = new MemoryShare(budget, { use: 'read', client: 'x', bytes: MOST - STEP }, vi.fn())
    expect(budget.takeFree(held, 0)).toBe(true)
    await request('a', 1)
    expect(budget.used).toBe(MOST - STEP)
    const large = record(1, 13 << 20)
    for (const _ of [1, 2, 3]) expect(kept.keepWhenRead('large', large)).toBe(large)
  })

  it('stop being copied when somebody waits while their first reader is slow', async () => {
    const { budget, kept, request } = open()
    await request('a', 1)
    const { body } = kept.keepWhenRead('a', record(1))
    if (body instanceof Uint8Array) throw new Error('The body is not read in steps.')
    const steps = body.read({ start: 0, end: SIZE - 1 })
    await steps.next()
    expect(budget.used).toBe(SIZE)
    const waiting = new MemoryShare(budget, { use: 'gather', client: 'x', bytes: MOST }, vi.fn())
    budget.join(waiting, 0, false)
    expect([budget.mayHave(waiting, 0), budget.used]).toEqual([true, MOST])
    let left = 0
    for await (const part of steps) left += part.length
    waiting.release()
    expect([left, budget.used, kept.get('a', async () => undefined)]).toEqual([SIZE - STEP, 0, undefined])
  })
})
