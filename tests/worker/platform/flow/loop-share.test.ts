import { describe, expect, it } from 'vitest'
import { LoopShare } from '../../../../worker/platform/flow/loop-share.ts'

/** An event loop that turns when it is told to. */
class HandLoop {
  #left: (() => void)[] = []

  leave = () => new Promise<void>((resolve) => this.#left.push(resolve))

  /** Those that left are not called again. */
  forget(): void {
    this.#left = []
  }

  /** Calls those that left, and lets them go on as far as they do. */
  async turn(): Promise<void> {
    for (const resolve of this.#left.splice(0)) resolve()
    for (let tick = 0; tick < 20; tick++) await Promise.resolve()
  }
}

/** The order in which waits end, each under its name. */
function record(share: LoopShare, order: string[], name: string, units: number): Promise<void> {
  return share.wait(units).then(() => {
    order.push(name)
  })
}

describe('the work between two returns to the event loop', () => {
  it('is a portion, whoever does it', () => {
    const share = new LoopShare(10)
    expect([share.take(6), share.take(4), share.take(1)]).toEqual([true, true, false])
  })

  it('is as much again after a return', async () => {
    const share = new LoopShare(10)
    share.take(10)
    await share.wait(1)
    expect([share.take(9), share.take(1)]).toEqual([true, false])
  })

  it('is one portion of many that wait, in the order in which they came', async () => {
    const loop = new HandLoop()
    const share = new LoopShare(10, loop.leave)
    const order: string[] = []
    const names = Array.from({ length: 8 }, (_, index) => String(index))
    for (const name of names) record(share, order, name, 10)
    expect(share.take(1)).toBe(false)
    for (let turn = 1; turn <= 8; turn++) {
      await loop.turn()
      expect(order).toEqual(names.slice(0, turn))
    }
  })

  it('is done by the next where one that waited is never heard of again', async () => {
    const loop = new HandLoop()
    const share = new LoopShare(10, loop.leave)
    const order: string[] = []
    record(share, order, 'cancelled', 10)
    loop.forget()
    record(share, order, 'next', 10)
    for (let turn = 0; turn < 3; turn++) await loop.turn()
    expect(order).toEqual(['next'])
  })

  it('is more than a portion where one piece of work is', async () => {
    const share = new LoopShare(10)
    expect(share.take(11)).toBe(false)
    await share.wait(11)
    expect(share.take(1)).toBe(false)
  })
})
