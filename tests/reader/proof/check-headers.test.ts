import { describe, expect, it } from 'vitest'
import { highestTarget, readHeader, targetOf } from '../../../reader/proof/block-header.ts'
import { checkHeaders } from '../../../reader/proof/check-headers.ts'
import { sha256d } from '../../../reader/proof/fold-branch.ts'
import { makeHeader } from './make-header.ts'
import { SHA256D } from './real-blocks.ts'

const PINNED_TIME = 1_700_000_000
const CHECKPOINT = { height: 255, root: '00'.repeat(32), bits: 0x207fffff, time: PINNED_TIME }

function check(headers: Uint8Array[], { bits = CHECKPOINT.bits, now = PINNED_TIME } = {}): void {
  for (const _ of checkHeaders(headers, { work: SHA256D, checkpoint: { ...CHECKPOINT, bits }, now }));
}

describe('the target of a header', () => {
  it.each([
    [0x1d00ffff, 0xffffn << 208n],
    [0x01120000, 0x12n],
    [0x03000001, 1n],
    [0x207fffff, 0x7fffffn << 232n],
    [0x2100ffff, 0xffffn << 240n],
    [0x220000ff, 0xffn << 248n],
  ])('is what Bitcoin Core reads of its bits: %i', (bits, target) => {
    expect(targetOf(bits)).toBe(target)
  })

  it.each([0, 0x01003456, 0x04800001, 0x04923456, 0x2200ffff, 0x23000001, 0xff123456])(
    'is refused where it is zero, negative or of more than 256 bits: %i',
    (bits) => {
      expect(() => targetOf(bits)).toThrow('is no target')
    },
  )

  it('is at most four times that of the checkpoint, and of 256 bits', () => {
    expect(highestTarget(0x1d00ffff)).toBe(0xffffn << 210n)
    expect(highestTarget(0x207fffff)).toBe(2n ** 256n - 1n)
  })
})

describe('headers above a checkpoint', () => {
  it('are refused with less than a quarter of its difficulty', () => {
    const header = makeHeader({})
    expect(() => check([header], { bits: 0x201fffff })).toThrow('less than a quarter')
    expect(() => check([header], { bits: 0x20200000 })).not.toThrow()
  })

  it('are of a time between that of the checkpoint and now, give or take two hours', () => {
    const at = (time: number) => () => check([makeHeader({ time })], { now: PINNED_TIME + 100 })
    expect(at(PINNED_TIME - 7200)).not.toThrow()
    expect(at(PINNED_TIME - 7201)).toThrow('another time')
    expect(at(PINNED_TIME + 7300)).not.toThrow()
    expect(at(PINNED_TIME + 7301)).toThrow('another time')
  })

  it('are linked', () => {
    const first = makeHeader({})
    const second = makeHeader({ previous: sha256d(first) })
    expect(() => check([first, second])).not.toThrow()
    expect(() => check([first, makeHeader({})])).toThrow(`does not follow ${readHeader(first).hash}`)
  })

  it('each have work', () => {
    const header = makeHeader({ bits: 0x1f00ffff })
    expect(() => check([header])).toThrow('has no proof of work')
  })

  it('pause before each hash for work', () => {
    const first = makeHeader({})
    const headers = [first, makeHeader({ previous: sha256d(first) })]
    const rules = { work: SHA256D, checkpoint: CHECKPOINT, now: PINNED_TIME }
    expect([...checkHeaders(headers, rules)]).toHaveLength(2)
  })
})
