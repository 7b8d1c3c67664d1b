import { describe, expect, it } from 'vitest'
import { scryptHash, workOf } from '../../../reader/proof/chain-work.ts'
import { verifyProof } from '../../../reader/proof/verify-proof.ts'
import { readBlocks, rulesOf, SHA256D, transactionsOf } from './real-blocks.ts'

describe('real blocks', () => {
  it.each([
    ['bitcoin-951658', SHA256D],
    ['bitcoin-702861', SHA256D],
    ['namecoin-19200', { ...SHA256D, chainId: 1 }],
    ['syscoin-430000', { ...SHA256D, chainId: 4096 }],
    ['dogecoin-371337', { hash: scryptHash, chainId: 98 }],
    // Its last transaction has a flag of its own, and bytes follow it.
    ['litecoin-2265985', { hash: scryptHash }],
  ] as const)('prove work and the transactions of %s', (name, work) => {
    const { blocks, raw } = readBlocks(name)
    const [block] = blocks
    if (!block) throw new Error('no block')
    const proven = verifyProof({ blocks }, transactionsOf(raw), rulesOf(block, work))
    expect([...proven.keys()]).toEqual(Object.keys(raw))
    for (const one of proven.values()) expect(one).toMatchObject({ state: 'worked', depth: 1 })
  })

  it('prove that blocks of Bitcoin are in the pinned chain, and how deep', () => {
    const { blocks, raw, checkpoint } = readBlocks('bitcoin-0-to-14085')
    const rules = { work: workOf('Bitcoin'), checkpoint, now: 0 }
    for (const block of blocks.slice(0, 4)) {
      const txids = block.transactions.map(({ txid }) => txid)
      const proven = verifyProof({ blocks: [block] }, transactionsOf(raw, txids), rules)
      for (const one of proven.values()) {
        expect(one).toMatchObject({ state: 'buried', height: block.height, depth: 14_080 - block.height })
      }
    }
  })

  it('prove the work of six linked headers above the checkpoint', () => {
    const { blocks, raw, checkpoint } = readBlocks('bitcoin-0-to-14085')
    const [block] = blocks.slice(4)
    if (!block || !checkpoint) throw new Error('no block')
    const txids = block.transactions.map(({ txid }) => txid)
    const rules = { work: workOf('Bitcoin'), checkpoint, now: checkpoint.time + 7200 }
    const proven = verifyProof({ blocks: [block] }, transactionsOf(raw, txids), rules)
    expect([...proven.values()]).toEqual(txids.map(() => ({ state: 'worked', depth: 6, time: expect.any(Number) })))
  })

  it('are unproven without a checkpoint, whatever their work', () => {
    const { blocks, raw } = readBlocks('bitcoin-702861')
    const proven = verifyProof({ blocks }, transactionsOf(raw), { work: SHA256D, checkpoint: undefined, now: 0 })
    expect(new Set([...proven.values()].map(({ state }) => state))).toEqual(new Set(['unproven']))
  })

  it('are unproven on Nativecoin, whose work other chains have too, unless they are pinned', () => {
    const { blocks, raw, checkpoint } = readBlocks('bitcoin-0-to-14085')
    const [pinned, ...rest] = blocks
    const last = rest.at(-1)
    if (!pinned || !last || !checkpoint) throw new Error('no block')
    const rules = { work: workOf('Nativecoin'), checkpoint, now: checkpoint.time + 7200 }
    const stateOf = (block: typeof pinned) => {
      const txids = block.transactions.map(({ txid }) => txid)
      const [proven] = verifyProof({ blocks: [block] }, transactionsOf(raw, txids), rules).values()
      return proven?.state
    }
    expect([stateOf(last), stateOf(pinned)]).toEqual(['unproven', 'buried'])
  })
})
