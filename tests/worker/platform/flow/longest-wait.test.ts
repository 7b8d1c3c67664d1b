import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Budget } from '../../../../worker/platform/flow/budget.ts'
import { LoopShare } from '../../../../worker/platform/flow/loop-share.ts'
import { type QueuePlace, SlotQueue } from '../../../../worker/platform/flow/slot-queue.ts'

const LIMITS = { free: 200, units: 1000, unitsPerMib: 100, bytes: 2 ** 20 }
const ERRORS = { exceeded: () => new Error('exceeded'), busy: () => new Error('full') }
const BUSY = { status: 503, code: 'busy', headers: { 'Retry-After': '5' } }

let time = 0
/** What others do while a read waits for a second. */
let others = () => {}
beforeEach(() => {
  time = 0
  vi.spyOn(Date, 'now').mockImplementation(() => time)
  vi.spyOn(scheduler, 'wait').mockImplementation(async (ms) => {
    if (time > 60_000) throw new Error('waited for a minute')
    time += Math.max(ms, 1_000)
    others()
  })
})
afterEach(() => {
  others = () => {}
  vi.restoreAllMocks()
})

describe('a read that has no turn', () => {
  it('among those that walk large DAGs is 503 busy after 10 seconds', async () => {
    const line = new SlotQueue(1, 4)
    const holder: QueuePlace = { seen: 0, paused: false }
    line.join(holder, 0, false)
    line.mayRun(holder, 0)
    others = () => void line.mayRun(holder, time)
    const budget = new Budget(LIMITS, line, ERRORS, new LoopShare(1000))
    await expect(budget.spend(201)).rejects.toMatchObject(BUSY)
    expect(time).toBe(10_000)
  })

  it('in the portions of its isolate is 503 busy after 10 seconds', async () => {
    const left: (() => void)[] = []
    const share = new LoopShare(100, () => new Promise((resolve) => left.push(resolve)))
    share.take(100)
    // Twenty are before it, and each uses a whole portion, which lasts a second.
    for (let other = 0; other < 20; other++) void share.wait(100)
    const outcome = expect(new Budget(LIMITS, new SlotQueue(4, 4), ERRORS, share).spend(100)).rejects.toMatchObject(
      BUSY,
    )
    while (time < 12_000) {
      time += 1_000
      for (const resolve of left.splice(0)) resolve()
      for (let tick = 0; tick < 50; tick++) await Promise.resolve()
      if (time === 9_000) expect(left.length).toBe(12)
    }
    await outcome
    expect(left.length).toBe(8)
  })
})
