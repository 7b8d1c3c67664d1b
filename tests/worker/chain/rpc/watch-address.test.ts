import { describe, expect, it } from 'vitest'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { watchAddress } from '../../../../worker/chain/rpc/watch-address.ts'

const WATCHED = {
  ...{ isvalid: true, scriptPubKey: `76a914${'11'.repeat(20)}88ac`, ismine: false, iswatchonly: true },
}

/** A wallet that answers each call with its own parameters, and a note of what it was asked. */
function open(validated: RpcOutcome = { result: WATCHED }) {
  const asked: RpcCall[][] = []
  const rpc = watchAddress(async (calls) => {
    asked.push([...calls])
    return calls.map(({ method, params }) => (method === 'validateaddress' ? validated : { result: params }))
  }, 'DCold')
  return { asked, rpc }
}

describe('a wallet that watches an address', () => {
  it('has what the address receives and spends in its history, and passes on all else as it is', async () => {
    const { asked, rpc } = open()
    const calls = [
      { method: 'listsinceblock', params: [] },
      { method: 'listsinceblock', params: ['ab'] },
      { method: 'gettransaction', params: ['cd'] },
      { method: 'listunspent', params: [1] },
      { method: 'getbalance', params: [] },
    ]
    const expected = [['', 1, true], ['ab', 1, true], ['cd', true], [1], []]
    expect(await rpc(calls)).toEqual(expected.map((result) => ({ result })))
    expect(asked[0]?.map(({ method }) => method)).toEqual(calls.map(({ method }) => method))
  })

  it('takes what it pays to other addresses of the wallet for no change of its own, folded or whole', async () => {
    const flagged = { involvesWatchonly: true }
    const items = [
      { category: 'receive', address: 'DCold', ...flagged },
      { category: 'receive', address: 'customer', ...flagged },
      { category: 'send', address: 'customer', ...flagged },
    ]
    const rpc = watchAddress(async (_, { fold } = {}) => {
      await fold?.take(items.map((item) => ({ ...item })))
      return [{ result: { transactions: items } }]
    }, 'DCold')
    const folded: unknown[] = []
    const take = async (some: unknown[]) => void folded.push(...some)
    const [outcome] = await rpc([{ method: 'listsinceblock', params: [] }], { fold: { list: 'transactions', take } })
    const [change, paid, sent] = items
    expect(folded).toEqual([change, { ...paid, involvesWatchonly: false }, sent])
    expect(outcome).toEqual({ result: { transactions: folded } })
  })

  it('is checked where its state is asked for, in the same request', async () => {
    const { asked, rpc } = open()
    const calls = [
      { method: 'getwalletinfo', params: [] },
      { method: 'getbalance', params: [] },
    ]
    expect(await rpc(calls)).toEqual([{ result: [] }, { result: [] }])
    expect(asked).toEqual([[...calls, { method: 'validateaddress', params: ['DCold'] }]])
  })

  it.each<[string, RpcOutcome]>([
    ['does not watch', { result: { ...WATCHED, iswatchonly: false } }],
    ['does not watch', { result: { ...WATCHED, iswatchonly: undefined } }],
    ['has the private key', { result: { ...WATCHED, ismine: true } }],
    ['no P2PKH address', { result: { ...WATCHED, scriptPubKey: `a914${'11'.repeat(20)}87` } }],
    ['no P2PKH address', { result: { isvalid: false } }],
    ['no P2PKH address', { result: 7 }],
    ['loading', { error: { code: -28, message: 'loading' } }],
  ])('can not be used where it %s', async (why, validated) => {
    const { rpc } = open(validated)
    const [info, balance] = await rpc([
      { method: 'getwalletinfo', params: [] },
      { method: 'getbalance', params: [] },
    ])
    expect(info).toMatchObject({ error: { code: -4, message: expect.stringContaining(why) } })
    expect(balance).toEqual({ result: [] })
  })

  it('names what its node does not say', async () => {
    const rpc = watchAddress(async () => [{ result: {} }], 'DCold')
    expect(await rpc([{ method: 'getwalletinfo', params: [] }])).toMatchObject([
      { error: { message: 'no answer to validateaddress' } },
    ])
  })
})
