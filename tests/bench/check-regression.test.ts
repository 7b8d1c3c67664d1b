import { describe, expect, it } from 'vitest'
import { findRegressions } from '../../bench/check-regression.ts'
import { pairedRow, plainRow, type Row } from '../../bench/row.ts'

function row(better: 'higher' | 'lower', ratio: number, id = 'a'): Row {
  return pairedRow({ id, group: 'g', what: 'w', unit: 'ms', better }, [{ value: ratio, limit: 1 }])
}

const fallen = (now: Row, committed: Row) => findRegressions([now], [committed]).length === 1

describe('a ratio that fell', () => {
  it('is one more than 30 % below the committed one', () => {
    expect(fallen(row('higher', 0.57), row('higher', 0.8))).toBe(false)
    expect(fallen(row('higher', 0.55), row('higher', 0.8))).toBe(true)
  })

  it('is one as far above it where lower is better', () => {
    expect(fallen(row('lower', 1.4), row('lower', 1))).toBe(false)
    expect(fallen(row('lower', 1.45), row('lower', 1))).toBe(true)
  })

  it('is none that got better, was never committed, or is an absolute value', () => {
    expect(fallen(row('higher', 2), row('higher', 0.8))).toBe(false)
    expect(fallen(row('higher', 0.1, 'new'), row('higher', 0.8))).toBe(false)
    const time = (ms: number) => plainRow({ id: 'a', group: 'g', what: 'w', unit: 'ms', better: 'lower' }, [ms])
    expect(fallen(time(100), time(1))).toBe(false)
  })

  it('is measured from the limit where the committed one was above it', () => {
    expect(fallen(row('higher', 0.71), row('higher', 1.2))).toBe(false)
    expect(fallen(row('higher', 0.69), row('higher', 1.2))).toBe(true)
  })

  it('is none where the committed one is one and a half of the limit: that had bad places in memory', () => {
    expect(fallen(row('higher', 0.3), row('higher', 3.8))).toBe(false)
  })
})
