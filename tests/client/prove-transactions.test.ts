import { afterEach, describe, expect, it, vi } from 'vitest'
import { prove, type SavedProof, verifySavedProof } from '../../client/index.ts'
import { concatBytes, toHex } from '../../protocol/bytes.ts'
import { encodeContentIndex } from '../../protocol/content-index.ts'
import { writeOpReturn } from '../../protocol/op-return.ts'
import { encodeTransaction, transactionId } from '../../protocol/transaction.ts'
import { makeProof } from '../reader/proof/make-proof.ts'
import { bytesOf, readBlocks } from '../reader/proof/real-blocks.ts'

const { blocks, raw, checkpoint } = readBlocks('bitcoin-0-to-14085')
const block = blocks.at(-1)
if (!block || !checkpoint) throw new Error('no block')
const txids = block.transactions.map(({ txid }) => txid)
const now = (checkpoint.time + 7200) * 1000

afterEach(() => vi.unstubAllGlobals())

/** A host that has the real block, and what it was asked for. */
function host(change: (proof: string) => string = (proof) => proof) {
  const asked: string[] = []
  const fetch = async (input: string | URL | Request) => {
    const path = new URL(String(input)).pathname + new URL(String(input)).search
    asked.push(path)
    if (path.startsWith('/v0/tx/')) return new Response(concatBytes(txids.map((txid) => bytesOf(raw[txid] ?? ''))))
    return new Response(change(JSON.stringify({ blocks: [block] })))
  }
  return { asked, fetch }
}

describe('prove', () => {
  it('checks that transactions have work above a pinned block', async () => {
    const { asked, fetch } = host()
    const options = { api: 'https://api.test/', fetch, checkpoint, now }
    const { proven } = await prove({ blockchain: 'Bitcoin', txids }, options)
    expect(proven).toMatchObject({ state: 'worked', depth: 6 })
    expect(asked.sort()).toEqual([
      `/v0/proof/Bitcoin/${txids}?depth=6&checkpoint=${checkpoint.height}`,
      `/v0/tx/Bitcoin/${txids}`,
    ])
  })

  it('returns what is checked again without a network, after it was written as JSON', async () => {
    const options = { api: 'https://api.test', fetch: host().fetch, checkpoint, now }
    const { saved } = await prove({ blockchain: 'Bitcoin', txids }, options)
    const read: object = JSON.parse(JSON.stringify(saved))
    expect(verifySavedProof(read, { checkpoint, now })).toMatchObject({ state: 'worked', depth: 6 })
  })

  it('reads transactions without data where the host has none with data of these txids', async () => {
    const { asked, fetch } = host()
    const plain: typeof fetch = async (input) => {
      const isContent = String(input).includes('/v0/tx/') && !String(input).endsWith('?any=1')
      return isContent ? new Response('{}', { status: 404 }) : await fetch(input)
    }
    const options = { api: 'https://api.test', fetch: plain, checkpoint, now }
    expect((await prove({ blockchain: 'Bitcoin', txids }, options)).proven).toMatchObject({ state: 'worked' })
    expect(asked).toContain(`/v0/tx/Bitcoin/${txids}?any=1`)
  })

  it('takes the checkpoint of the release where none is given', async () => {
    vi.stubGlobal('CHECKPOINTS', { Bitcoin: checkpoint })
    const { asked, fetch } = host()
    const { proven, saved } = await prove({ blockchain: 'Bitcoin', txids }, { api: 'https://api.test', fetch, now })
    expect(proven).toMatchObject({ state: 'worked', depth: 6 })
    expect(asked).toContain(`/v0/proof/Bitcoin/${txids}?depth=6&checkpoint=${checkpoint.height}`)
    expect(verifySavedProof(saved, { now })).toMatchObject({ state: 'worked', depth: 6 })
  })

  it('asks nothing where neither the caller nor the release has a checkpoint of the chain', async () => {
    vi.stubGlobal('CHECKPOINTS', { Dogecoin: checkpoint })
    const { asked, fetch } = host()
    await expect(
      prove({ blockchain: 'Bitcoin', txids }, { api: 'https://api.test', fetch, now }),
    ).rejects.toMatchObject({ code: 'invalid_source', message: expect.stringContaining('no checkpoint of Bitcoin') })
    expect(asked).toEqual([])
  })

  it('is refused where less is proven than was asked for, or by another pinned block', async () => {
    const at = (rules: object) =>
      prove(
        { blockchain: 'Bitcoin', txids },
        { api: 'https://api.test', fetch: host().fetch, checkpoint, now, ...rules },
      )
    await expect(at({ state: 'worked 7' })).rejects.toMatchObject({ code: 'not_proven' })
    await expect(at({ state: 'buried' })).rejects.toMatchObject({ code: 'not_proven' })
    await expect(at({ state: 'sure' })).rejects.toMatchObject({ code: 'invalid_source' })
    await expect(at({ checkpoint: { ...checkpoint, bits: 0x1b00ffff } })).rejects.toMatchObject({ code: 'not_proven' })
  })

  it('is refused where the host answers with something else', async () => {
    const at = (change: (proof: string) => string) =>
      prove({ blockchain: 'Bitcoin', txids }, { api: 'https://api.test', fetch: host(change).fetch, checkpoint, now })
    await expect(at(() => '<p>no</p>')).rejects.toMatchObject({ code: 'not_proven' })
    await expect(at(() => '{"blocks":[]}')).rejects.toMatchObject({ code: 'not_proven' })
    await expect(at((proof) => proof.replace(block.hash, '0'.repeat(64)))).rejects.toMatchObject({ code: 'not_proven' })
  })
})

describe('a saved proof', () => {
  const transactionOf = (data: Uint8Array) => {
    const inputs = [{ txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(0), sequence: 0, witness: [] }]
    return encodeTransaction({ version: 1, inputs, outputs: [{ value: 0n, script: writeOpReturn(data) }], lockTime: 0 })
  }
  const part = transactionOf(Uint8Array.of(1, 2, 3))
  const says = { type: 'text/plain', size: 3, sha256: 'cd'.repeat(32), encoding: 'identity' } as const
  const index = transactionOf(encodeContentIndex({ ...says, parts: [transactionId(part)] }))

  /** Saved of one block of the easiest work, which has these transactions. */
  function savedOf(all: Uint8Array[]): SavedProof {
    return {
      format: 'hookline proof',
      version: 1,
      blockchain: 'Bitcoin',
      txids: [transactionId(index)],
      transactions: Object.fromEntries(all.map((bytes) => [transactionId(bytes), toHex(bytes)])),
      proofs: [makeProof(all, checkpoint?.time)],
    }
  }

  it('of an index proves its parts too', () => {
    const easy = { checkpoint: { ...checkpoint, bits: 0x207fffff }, now, state: 'worked 1' }
    expect(verifySavedProof(savedOf([index, part]), easy)).toMatchObject({ state: 'worked', depth: 1 })
    expect(() => verifySavedProof(savedOf([index]), easy)).toThrow(transactionId(part))
  })

  it.each([
    ['nothing', null],
    ['another version', { ...savedOf([index]), version: 2 }],
    ['an unknown chain', { ...savedOf([index]), blockchain: 'bitcoin' }],
    ['no txid', { ...savedOf([index]), txids: [] }],
    ['a txid of other letters', { ...savedOf([index]), txids: ['x'] }],
    ['transactions that are no hex', { ...savedOf([index]), transactions: { [transactionId(index)]: 'zz' } }],
  ])('is refused with %s', (_, saved) => {
    expect(() => verifySavedProof(saved, { checkpoint, now })).toThrow(expect.objectContaining({ code: 'not_proven' }))
  })
})
