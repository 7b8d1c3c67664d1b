import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../protocol/bytes.ts'
import { reverseHex } from '../../../protocol/transaction.ts'
import { checkInChain, checkpointLevels } from '../../../reader/proof/checkpoint.ts'
import { foldBranch, foldTransaction, sha256d } from '../../../reader/proof/fold-branch.ts'
import { branchAt, treeLevels } from '../../../reader/proof/merkle-tree.ts'

const leaves = (count: number) => Array.from({ length: count }, (_, at) => sha256d(Uint8Array.of(at & 255, at >> 8)))
const rootOf = (levels: Uint8Array[][]) => reverseHex(levels.at(-1)?.[0] ?? new Uint8Array(0))

describe('a branch', () => {
  it('leads from each leaf of a tree of any size to its root', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(), (count, any) => {
        const levels = treeLevels(leaves(count))
        const position = any % count
        const leaf = levels[0]?.[position] ?? new Uint8Array(0)
        expect(reverseHex(foldTransaction(leaf, position, branchAt(levels, position)))).toBe(rootOf(levels))
      }),
    )
  })

  it('is refused through the repeated last node, which gives a transaction a second position', () => {
    const levels = treeLevels(leaves(3))
    const last = levels[0]?.[2] ?? new Uint8Array(0)
    expect(reverseHex(foldTransaction(last, 2, branchAt(levels, 2)))).toBe(rootOf(levels))
    expect(() => foldTransaction(last, 3, branchAt(levels, 2))).toThrow('CVE-2012-2459')
  })

  it('is refused where a position needs more levels than it has', () => {
    const [leaf = new Uint8Array(0)] = leaves(1)
    expect(() => foldTransaction(leaf, 1, [])).toThrow('outside a tree of 0 levels')
    expect(() =>
      foldTransaction(
        leaf,
        0,
        Array.from({ length: 25 }, () => leaf),
      ),
    ).toThrow('longer than 24')
  })

  it.each([0, 1, 2, 3, 4])(
    'is refused through a pair that could be a transaction with a script of %i bytes',
    (length) => {
      const pair = new Uint8Array(64).fill(9)
      pair[4] = 1
      pair[41] = length
      pair[46 + length] = 1
      pair[55 + length] = 4 - length
      const [left, right] = [pair.slice(0, 32), pair.slice(32)]
      expect(() => foldTransaction(left, 0, [right])).toThrow('CVE-2017-12842')
      expect(() => foldTransaction(right, 1, [left])).toThrow('CVE-2017-12842')
      expect(foldBranch(left, 0, [right])).toEqual(sha256d(pair))
      for (const at of [4, 41, 46 + length, 55 + length]) {
        const other = concatBytes([pair])
        other[at] = 77
        expect(() => foldTransaction(other.slice(0, 32), 0, [other.slice(32)])).not.toThrow()
      }
    },
  )
})

describe('the branch of a checkpoint', () => {
  const levels = treeLevels(leaves(768))
  const checkpoint = { height: 767, root: rootOf(levels), bits: 0, time: 0 }
  const at = (height: number, of = height) => ({
    hash: reverseHex(levels[0]?.[of] ?? new Uint8Array(0)),
    height,
    branch: branchAt(levels, of),
  })

  it('proves each height up to that of the checkpoint', () => {
    expect(checkpointLevels(767)).toBe(10)
    for (const height of [0, 1, 255, 256, 700, 767]) expect(() => checkInChain(at(height), checkpoint)).not.toThrow()
  })

  it('proves no height above, where the repeated last hash would', () => {
    const odd = treeLevels(leaves(3))
    const root = rootOf(odd)
    const hash = reverseHex(odd[0]?.[2] ?? new Uint8Array(0))
    const proof = { hash, height: 3, branch: branchAt(odd, 2) }
    expect(() => checkInChain(proof, { ...checkpoint, height: 2, root })).toThrow('above the checkpoint')
    expect(() => checkInChain({ ...proof, height: 2 }, { ...checkpoint, height: 2, root })).not.toThrow()
  })

  it('proves no other height, block or depth', () => {
    expect(() => checkInChain(at(5, 6), checkpoint)).toThrow('not block 5 of the chain')
    const { branch, ...block } = at(5)
    expect(() => checkInChain({ ...block, branch: branch.slice(1) }, checkpoint)).toThrow('9 levels')
  })

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [255, 8],
    [256, 9],
    [2 ** 24 - 1, 24],
  ])('of height %i has %i levels', (height, count) => {
    expect(checkpointLevels(height)).toBe(count)
  })
})
