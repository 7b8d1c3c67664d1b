import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planPackReads } from '../../../../worker/content/chain/plan-pack-reads.ts'

const places = fc.array(
  fc.record({
    txid: fc.nat().map(String),
    pack: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    offset: fc.nat(1000),
    length: fc.integer({ min: 60, max: 500 }),
  }),
)

describe('the packs that are read for a list', () => {
  it('are never more than may be read, and hold every transaction that is said to come with them', () => {
    fc.assert(
      fc.property(places, fc.integer({ min: 0, max: 6 }), (known, max) => {
        const { reads, covered } = planPackReads(known, max)
        expect(reads.length).toBeLessThanOrEqual(max)
        for (const { txid, pack, offset, length } of known) {
          const read = reads.find((one) => one.pack === pack)
          if (!read) continue
          expect(covered).toContain(txid)
          expect(read.start <= offset && offset + length <= read.end).toBe(true)
        }
      }),
    )
  })

  it('are those with the most of its transactions', () => {
    const place = (txid: string, pack: string) => ({ txid, pack, offset: 0, length: 60 })
    const { reads } = planPackReads([place('1', 'few'), place('2', 'many'), place('3', 'many')], 1)
    expect(reads.map(({ pack }) => pack)).toEqual(['many'])
  })
})
