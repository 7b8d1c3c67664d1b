import * as dagCbor from '@ipld/dag-cbor'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { expect, it } from 'vitest'
import { hasMoreItems } from '../../../../../worker/content/ipfs/dag/resolve-path.ts'

/** Items of a JSON value as CBOR has it: each value, and each name of a member. */
function itemsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  const inside = Object.values(value).reduce((sum: number, inner: unknown) => sum + itemsOf(inner), 0)
  return 1 + inside + (Array.isArray(value) ? 0 : Object.keys(value).length)
}

it('counts values and names, whatever they are', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
      const value: unknown = JSON.parse(JSON.stringify(json))
      const items = itemsOf(value)
      const bytes = dagCbor.encode(value)
      expect([hasMoreItems(bytes, items), hasMoreItems(bytes, items - 1)]).toEqual([false, true])
    }),
  )
})

it('counts a link as a tag and its bytes, and long ones as one', () => {
  const bytes = dagCbor.encode([CID.parse('bafkqaaa'), new Uint8Array(70_000), 'a'.repeat(300), 2n ** 60n])
  expect([hasMoreItems(bytes, 6), hasMoreItems(bytes, 5)]).toEqual([false, true])
})

it('says no of what breaks off', () => {
  expect(
    [Uint8Array.of(0x5b, 1), Uint8Array.of(0x7a, 255, 255, 255, 255)].map((bytes) => hasMoreItems(bytes, 1)),
  ).toEqual([false, false])
})
