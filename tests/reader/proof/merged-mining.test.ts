import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../protocol/bytes.ts'
import { checkHeaders, type Work } from '../../../reader/proof/check-headers.ts'
import { sha256d } from '../../../reader/proof/fold-branch.ts'
import { type AuxPowOptions, MAGIC, makeHeader, withAuxPow } from './make-header.ts'

const WORK: Work = { hash: sha256d, chainId: 98 }
const HEADER = makeHeader({ version: 0x00620104 })
const SIBLING = sha256d(Uint8Array.of(1))

function check(header: Uint8Array, work = WORK): void {
  for (const _ of checkHeaders([header], { work, checkpoint: undefined, now: 0 }));
}

describe('the work of a header with AuxPoW', () => {
  it.each<[string, AuxPowOptions]>([
    ['a parent whose coinbase names the block behind the magic', {}],
    ['a tree of four chains', { chainBranch: [SIBLING, SIBLING] }],
    ['a coinbase with other transactions beside it', { branch: [SIBLING, SIBLING, SIBLING] }],
    ['the root without magic at offset 20', { script: (root, after) => [new Uint8Array(20), root, after] }],
    ['the root a second time, later', { script: (root, after) => [MAGIC, root, after, root] }],
    ['bytes around what is named', { script: (root, after) => [SIBLING, MAGIC, root, after, SIBLING] }],
  ])('is that of %s', (_, options) => {
    expect(() => check(withAuxPow(HEADER, options))).not.toThrow()
  })

  it.each<[string, AuxPowOptions, string]>([
    ['a second magic', { script: (root, after) => [MAGIC, root, after, MAGIC] }, 'several blocks'],
    ['a magic elsewhere', { script: (root, after) => [MAGIC, SIBLING, root, after] }, 'several blocks'],
    [
      'an earlier root that the magic is not before',
      { script: (root, after) => [root, MAGIC, root, after] },
      'several blocks',
    ],
    ['a root without magic at offset 21', { script: (root, after) => [new Uint8Array(21), root, after] }, 'too late'],
    ['a foreign coinbase', { script: (_, after) => [MAGIC, SIBLING, after] }, 'does not name the block'],
    ['a coinbase of another block', { parentRoot: SIBLING }, 'not in its block'],
    ['another transaction than the coinbase', { branch: [SIBLING], position: 1 }, 'not a coinbase'],
    ['a parent of the same chain', { parentVersion: 0x00620004 }, 'same chain'],
    ['7 bytes behind the root', { script: (root, after) => [MAGIC, root, after.subarray(0, 7)] }, 'ends early'],
    ['another size', { size: 2 }, 'another size'],
    ['another slot', { chainBranch: [SIBLING, SIBLING], slot: 1 }, 'slot'],
    ['a slot outside of the tree', { slot: 1 }, 'outside a tree'],
    ['31 levels of chains', { chainBranch: Array.from({ length: 31 }, () => SIBLING), slot: 0 }, 'longer than 30'],
    ['25 levels of transactions', { branch: Array.from({ length: 25 }, () => SIBLING) }, 'longer than 24'],
  ])('is refused with %s', (_, options, message) => {
    expect(() => check(withAuxPow(HEADER, options))).toThrow(message)
  })

  it('is compared with the target of the block, not of its parent', () => {
    const hard = makeHeader({ version: 0x00620104 })
    new DataView(hard.buffer).setUint32(72, 0x1d00ffff, true)
    expect(() => check(withAuxPow(hard))).toThrow('has no proof of work')
    expect(() => check(withAuxPow(HEADER, { parentBits: 0x1d00ffff }))).not.toThrow()
  })

  it.each([
    ['a version without it', withAuxPow(makeHeader({ version: 0x00620004 })), 'no AuxPoW'],
    ['another chain', withAuxPow(makeHeader({ version: 0x00630104 })), 'chain ID 99'],
    ['a legacy version', makeHeader({ version: 2 }), 'chain ID 0'],
    ['no AuxPoW behind it', HEADER, 'does not begin with a transaction'],
    ['bytes behind the AuxPoW', concatBytes([withAuxPow(HEADER), Uint8Array.of(0)]), 'Bytes follow the AuxPoW'],
    ['a cut AuxPoW', withAuxPow(HEADER).slice(0, -1), 'ends early'],
  ])('is refused for a header with %s', (_, header, message) => {
    expect(() => check(header)).toThrow(message)
  })

  it('is the own work of a header whose version says that there is no AuxPoW', () => {
    expect(() => check(makeHeader({ version: 0x00620004 }))).not.toThrow()
  })

  it('is refused on a chain without merged mining', () => {
    const header = withAuxPow(makeHeader({}))
    for (const work of [{ hash: sha256d }, undefined]) {
      const steps = () => [...checkHeaders([header], { work, checkpoint: undefined, now: 0 })]
      expect(steps).toThrow(/Bytes follow the header|has 80 bytes/)
    }
  })
})
