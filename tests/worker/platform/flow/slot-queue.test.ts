import { describe, expect, it } from 'vitest'
import { type QueuePlace, SlotQueue } from '../../../../worker/platform/flow/slot-queue.ts'

const turn = (): QueuePlace => ({ seen: 0, paused: false })

describe('a line of turns', () => {
  it('lets so many work at once, so many wait in order, and refuses the rest', () => {
    const line = new SlotQueue(2, 2)
    const all = Array.from({ length: 5 }, turn)
    expect(all.map((one) => line.join(one, 0, false) && line.mayRun(one, 0))).toEqual([true, true, false, false, false])
    const [first, , third, fourth, fifth] = all
    if (!first || !third || !fourth || !fifth) throw new Error('There are five.')
    expect(line.join(fifth, 0, false)).toBe(false)
    first.paused = true
    expect([line.mayRun(fourth, 0), line.mayRun(third, 0), line.mayRun(fourth, 0)]).toEqual([false, true, false])
    expect(line.has(first)).toBe(false)
  })

  it('gives one owner so many places, until one of them is left, and whoever has none as many as there are', () => {
    const line = new SlotQueue(1, 4, { mostOfOne: 2 })
    const [first, ...others] = ['ada', 'ada', 'ada', 'bob', undefined, undefined].map((owner) => ({ ...turn(), owner }))
    if (!first) throw new Error('There are six.')
    expect([line.join(first, 0, false), line.mayRun(first, 0)]).toEqual([true, true])
    expect(others.map((one) => line.join(one, 0, false))).toEqual([true, false, true, true, true])
    line.leave(first)
    expect(line.join({ ...turn(), owner: 'ada' }, 0, false)).toBe(true)
  })

  it('lets one that has begun go on before those that wait, however many they are', () => {
    const line = new SlotQueue(1, 1)
    const [running, waiting, begun] = [turn(), turn(), turn()]
    for (const one of [running, waiting]) line.join(one, 0, false)
    expect([line.mayRun(running, 0), line.join(begun, 0, true)]).toEqual([true, true])
    running.paused = true
    expect([line.mayRun(waiting, 0), line.mayRun(begun, 0)]).toEqual([false, true])
  })

  it('leaves a turn that rests with its owner as long as nobody else wants it', () => {
    const line = new SlotQueue(1, 1)
    const only = turn()
    line.join(only, 0, false)
    expect(line.mayRun(only, 0)).toBe(true)
    only.paused = true
    expect(line.has(only)).toBe(true)
  })

  it('forgets those that were never heard of again: their requests were cancelled', () => {
    const line = new SlotQueue(1, 1)
    const [gone, goneToo, here] = [turn(), turn(), turn()]
    for (const one of [gone, goneToo]) line.join(one, 0, false)
    expect(line.mayRun(gone, 0)).toBe(true)
    expect(line.join(here, 1999, false)).toBe(false)
    expect([line.join(here, 2000, false), line.mayRun(here, 2000)]).toEqual([true, true])
  })

  it('gives the turn of one that left, or was silent for longer than it may be, to the next', () => {
    const line = new SlotQueue(1, 3, { heldMs: 100 })
    const [first, second, third] = [turn(), turn(), turn()]
    for (const one of [first, second, third]) line.join(one, 0, false)
    expect([line.mayRun(first, 0), line.mayRun(second, 99)]).toEqual([true, false])
    expect([line.mayRun(second, 100), line.mayRun(third, 150)]).toEqual([true, false])
    line.leave(second)
    expect(line.mayRun(third, 150)).toBe(true)
  })

  it('tells how many rounds of work are before one that waits', () => {
    const line = new SlotQueue(2, 9)
    const all = Array.from({ length: 7 }, turn)
    for (const one of all) line.join(one, 0, false)
    for (const one of all.slice(0, 2)) line.mayRun(one, 0)
    expect(all.slice(2).map((one) => line.roundsBefore(one))).toEqual([1, 1, 2, 2, 3])
  })
})
