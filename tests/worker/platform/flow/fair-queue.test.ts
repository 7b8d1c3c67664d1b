import { describe, expect, it } from 'vitest'
import { FairQueue, type FairQueuePlace } from '../../../../worker/platform/flow/fair-queue.ts'

const LIMITS = { atOnce: 2, mostWaiting: 4, heldMs: 100 }

/** A line at a frozen clock that is set by hand. */
function openLine() {
  const line = new FairQueue(LIMITS)
  const clock = { now: 0 }
  const join = (owner: string, first = false): FairQueuePlace => {
    const turn = line.join(owner, clock.now, first)
    if (!turn) throw new Error(`${owner} was refused`)
    return turn
  }
  /** Those of the turns that work, having been asked in this order. */
  const working = (...turns: FairQueuePlace[]) => turns.filter((turn) => line.hasTurn(turn, clock.now))
  return { line, clock, join, working }
}

describe('a line in which owners take turns', () => {
  it('lets as many work at once as it may, in the order in which they came', () => {
    const { line, join, working } = openLine()
    const [a, b, c, d] = [join('a'), join('b'), join('c'), join('d')]
    expect(working(d, c, b, a)).toEqual([b, a])
    line.leave(a)
    expect(working(d, c)).toEqual([c])
  })

  it('has the first request of an owner go before the second of any other', () => {
    const { line, join, working } = openLine()
    const many = [join('many'), join('many'), join('many'), join('many')]
    expect(working(...many)).toEqual(many.slice(0, 2))
    const one = join('one')
    line.leave(many[0] ?? one)
    expect(working(...many.slice(2), one)).toEqual([one])
  })

  it('has every request of an owner that is first go before all others, by their number among themselves', () => {
    const { line, join, working } = openLine()
    const others = [join('a'), join('b'), join('c')]
    expect(working(...others)).toEqual(others.slice(0, 2))
    const [one, two, other] = [join('payer', true), join('payer', true), join('other payer', true)]
    for (const turn of others.slice(0, 2)) line.leave(turn)
    expect(working(...others.slice(2), two, other, one)).toEqual([other, one])
    line.leave(one)
    expect(working(...others.slice(2), two)).toEqual([two])
  })

  it('has one that is first take the place of another where it is full', () => {
    const { line, join } = openLine()
    const others = ['a', 'b', 'c', 'd'].map((owner) => join(owner))
    expect(line.join('payer', 0, true)).toBeDefined()
    expect(others.map(({ refused }) => refused)).toEqual([false, false, false, true])
  })

  it('lets fewer run at once while timers fire late, and as many as before when they do not', () => {
    const line = new FairQueue({ ...LIMITS, atOnce: 8, mostWaiting: 16 })
    const turns = Array.from({ length: 16 }, (_, n) => line.join(`${n}`, 0)).filter((turn) => turn !== undefined)
    const running = () => turns.filter((turn) => line.hasTurn(turn, 0))
    line.wokenLate(50)
    expect(running()).toHaveLength(2)
    line.wokenLate(49)
    expect(running()).toHaveLength(6)
  })

  it('refuses one of the owner that has most in it, where it is full', () => {
    const { line, join } = openLine()
    const many = Array.from({ length: LIMITS.mostWaiting }, () => join('many'))
    expect(line.join('many', 0)).toBeUndefined()
    const one = join('one')
    expect(many.map(({ refused }) => refused)).toEqual([false, false, false, true])
    expect(line.hasTurn(many[3] ?? one, 0)).toBe(false)
    expect(one.refused).toBe(false)
  })

  it('refuses who comes last, where it is full of others that have no more in it', () => {
    const { line, join } = openLine()
    for (const owner of ['a', 'b', 'c', 'd']) join(owner)
    expect(line.join('e', 0)).toBeUndefined()
  })

  it('does not count who works for long', () => {
    const { clock, join, working } = openLine()
    const [a, b, c] = [join('a'), join('b'), join('c')]
    expect(working(a, b, c)).toEqual([a, b])
    clock.now = LIMITS.heldMs
    expect(working(c)).toEqual([c])
  })

  it('counts who works for long, while those who wait are woken late: the isolate is behind', () => {
    const { line, clock, join, working } = openLine()
    const [a, b, c] = [join('a'), join('b'), join('c')]
    working(a, b)
    line.wokenLate(49)
    clock.now = LIMITS.heldMs + 489
    expect(working(c)).toEqual([])
    clock.now = LIMITS.heldMs + 490
    expect(working(c)).toEqual([c])
  })

  it('counts nobody for more than a second, however late those who wait are woken', () => {
    const { line, clock, join, working } = openLine()
    const [a, b, c] = [join('a'), join('b'), join('c')]
    working(a, b)
    line.wokenLate(60_000)
    clock.now = 999
    expect(working(c)).toEqual([])
    clock.now = 1_000
    expect(working(c)).toEqual([c])
  })

  it('forgets who waits and is silent, and takes in again who was only late', () => {
    const { line, clock, join, working } = openLine()
    const [a, b, late] = [join('a'), join('b'), join('late')]
    working(a, b)
    const gone = join('gone')
    clock.now = 5_000
    working(join('c'), join('d'))
    // Neither of both stands in the way of as many as may wait.
    for (const owner of ['e', 'f', 'g', 'h']) join(owner)
    expect(line.join('i', clock.now)).toBeUndefined()
    expect(gone.refused).toBe(false)
    clock.now += LIMITS.heldMs
    line.hasTurn(late, clock.now)
    expect(late.refused).toBe(false)
  })
})
