import { describe, expect, it } from 'vitest'
import { Budget } from '../../../../worker/platform/flow/budget.ts'
import { LoopShare } from '../../../../worker/platform/flow/loop-share.ts'
import { SlotQueue } from '../../../../worker/platform/flow/slot-queue.ts'

const MIB = 2 ** 20
const LIMITS = { free: 200, units: 1000, unitsPerMib: 100, bytes: 10 * MIB }
const ERRORS = { exceeded: () => new Error('exceeded'), busy: () => new Error('busy') }
const open = (line = new SlotQueue(4, 64), share = new LoopShare(100)) => new Budget(LIMITS, line, ERRORS, share)

describe('a budget', () => {
  it('returns to the event loop after each portion, and not before', async () => {
    const budget = open()
    for (let unit = 0; unit < 100; unit++) expect(budget.spend(1)).toBeUndefined()
    let turned = false
    const timer = scheduler.wait(0).then(() => {
      turned = true
    })
    await budget.spend(1)
    await timer
    expect(turned).toBe(true)
    expect(budget.spend(1)).toBeUndefined()
  })

  it('counts portions together with the others of its isolate', async () => {
    const share = new LoopShare(100)
    const [first, second] = [open(undefined, share), open(undefined, share)]
    expect(first.spend(60)).toBeUndefined()
    const waits = second.spend(60)
    expect(waits).toBeDefined()
    await waits
    expect(first.spend(40)).toBeUndefined()
  })

  it('is exceeded by work that the bytes sent do not account for', async () => {
    const budget = open()
    for (let unit = 0; unit < 10; unit++) await budget.spend(100)
    expect(() => budget.spend(1)).toThrow('exceeded')
    const sending = open()
    for (let mib = 0; mib < 10; mib++) {
      sending.send(MIB)
      await sending.spend(100)
    }
    for (let unit = 0; unit < 10; unit++) await sending.spend(100)
    expect(() => sending.spend(1)).toThrow('exceeded')
  })

  it('is exceeded by bytes, and says so beforehand where they are known', () => {
    const budget = open()
    budget.send(10 * MIB)
    expect(() => budget.send(1)).toThrow('exceeded')
    expect(() => open().check(10 * MIB, 2000)).not.toThrow()
    expect(() => open().check(10 * MIB, 2001)).toThrow('exceeded')
    expect(() => open().check(10 * MIB + 1, 0)).toThrow('exceeded')
  })

  it('has those who do more than their bytes account for take turns', async () => {
    const line = new SlotQueue(1, 1)
    const [first, second, third] = [open(line), open(line), open(line)]
    await first.spend(201)
    let ran = false
    const waits = second.spend(201)?.then(() => {
      ran = true
    })
    await expect(third.spend(201)).rejects.toThrow('busy')
    expect(ran).toBe(false)
    first.rest()
    await waits
    expect(ran).toBe(true)
  })

  it('counts what several do at once for one request', async () => {
    const budget = open()
    await Promise.all(Array.from({ length: 150 }, () => budget.spend(1)))
    expect(budget.spent).toBe(150)
  })
})
