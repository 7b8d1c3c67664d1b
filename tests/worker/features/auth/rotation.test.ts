import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideRotation, ROTATION_GRACE, type Rotation } from '../../../../worker/features/auth/rotation.ts'

const NEW: Rotation = { generation: 0, firstUses: [] }
const renew = (rotation: Rotation, generation: number, at: number) =>
  decideRotation(rotation, { generation, rotate: true }, at)
/** The state after uses that have to be good. */
function stateAfter(...uses: [generation: number, at: number][]): Rotation {
  return uses.reduce((rotation, [generation, at]) => {
    const verdict = renew(rotation, generation, at)
    if (verdict.kind !== 'good') throw new Error(`${generation} at ${at} is ${verdict.kind}`)
    return verdict.next
  }, NEW)
}

describe('a refresh token that rotates', () => {
  it('is replaced at each use, by the next generation', () => {
    expect(renew(NEW, 0, 0)).toMatchObject({ kind: 'good', issue: 1 })
    expect(renew(stateAfter([0, 0], [1, 5]), 2, 9)).toMatchObject({ kind: 'good', issue: 3 })
  })

  it('is not replaced where nobody asks for it, and changes nothing before it was replaced once', () => {
    const verdict = decideRotation(NEW, { generation: 0, rotate: false }, 5)
    expect(verdict).toEqual({ kind: 'good', next: NEW, issue: undefined })
  })

  it('that was replaced is good for as long as the next one was not used, and gives the newest again', () => {
    const rotation = stateAfter([0, 0])
    expect(renew(rotation, 0, 10 * ROTATION_GRACE)).toEqual({ kind: 'good', next: rotation, issue: 1 })
  })

  it('that was replaced is good until 30 seconds after the first use of the next one', () => {
    const rotation = stateAfter([0, 0], [1, 1000])
    expect(renew(rotation, 0, 1000 + ROTATION_GRACE - 1)).toMatchObject({ kind: 'good', issue: 2 })
    expect(renew(rotation, 0, 1000 + ROTATION_GRACE)).toEqual({ kind: 'reused' })
  })

  it('ends the time of the one before by its first use, also where that use replaces nothing', () => {
    const used = decideRotation(stateAfter([0, 0]), { generation: 1, rotate: false }, 1000)
    expect(used).toMatchObject({ kind: 'good', issue: undefined })
    const rotation = used.kind === 'good' ? used.next : NEW
    expect(renew(rotation, 0, 1000 + ROTATION_GRACE)).toEqual({ kind: 'reused' })
  })

  it('stays reused that was replaced, however long the newest is used without being replaced', () => {
    let rotation = stateAfter([0, 0])
    for (const at of [1000, 1000 + ROTATION_GRACE]) {
      const verdict = decideRotation(rotation, { generation: 1, rotate: false }, at)
      rotation = verdict.kind === 'good' ? verdict.next : NEW
    }
    expect(renew(rotation, 0, 1000 + ROTATION_GRACE)).toEqual({ kind: 'reused' })
  })

  it('of a generation that was never issued is unknown', () => {
    expect(renew(NEW, 1, 0)).toEqual({ kind: 'unknown' })
  })

  it('is judged as by one who remembers every first use, and the state stays small', () => {
    const use = fc.record({ back: fc.nat(4), wait: fc.nat(ROTATION_GRACE), rotate: fc.boolean() })
    fc.assert(
      fc.property(fc.array(use, { maxLength: 60 }), (uses) => {
        let rotation = NEW
        let at = 0
        const firstUse = new Map<number, number>()
        for (const { back, wait, rotate } of uses) {
          at += wait
          const newest = rotation.generation
          const generation = Math.max(0, newest - back)
          const end = (firstUse.get(generation + 1) ?? Number.POSITIVE_INFINITY) + ROTATION_GRACE
          const verdict = decideRotation(rotation, { generation, rotate }, at)
          expect(verdict.kind).toBe(at < end ? 'good' : 'reused')
          if (verdict.kind !== 'good') return
          if (!firstUse.has(generation)) firstUse.set(generation, at)
          expect(verdict.issue).toBe(rotate ? (generation === newest ? newest + 1 : newest) : undefined)
          rotation = verdict.next
          expect(rotation.firstUses.length).toBeLessThanOrEqual(50)
        }
      }),
    )
  })
})
