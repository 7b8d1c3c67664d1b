import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDevnet } from '../../devnet/create-devnet.ts'
import { methodNames } from '../../devnet/rpc/handle-rpc.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { connect, nth, signed, unspent } from '../kit/call-devnet.ts'
import { at, text } from '../kit/rpc-client.ts'

describe.each<Blockchain>(['Bitcoin', 'Dogecoin'])('the embedded %s node, asked anything', (blockchain) => {
  const devnet = createDevnet({ chains: [blockchain] })
  const node = devnet.node(blockchain)
  const rpc = connect(devnet, blockchain)
  const address = text(rpc('getnewaddress'))
  const coin = nth(unspent(rpc), 0)
  const hex = signed(rpc, [coin], { [address]: 40 }, blockchain === 'Dogecoin' ? 'signrawtransaction' : undefined)
  // Values that get far into the methods, among any others.
  const likely = fc.constantFrom<unknown>(
    address,
    coin.txid,
    hex,
    node.chain.tip.hash,
    0,
    1,
    -1,
    2 ** 40,
    0.5,
    true,
    '',
    'ALL',
    'SINGLE',
    [],
    {},
    [coin],
    [{ txid: coin.txid, vout: -1 }],
    [{ txid: coin.txid, vout: 0, sequence: 2 ** 40 }],
    { [address]: 1 },
    [{ data: 'zz' }],
    { data: 'abcd' },
    [hex],
    [address],
  )
  const params = fc.oneof(
    fc.array(fc.oneof({ weight: 4, arbitrary: likely }, { weight: 1, arbitrary: fc.jsonValue() }), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom('txid', 'blockhash', 'verbosity', 'address', 'args', 'amount'), likely),
  )
  const names = methodNames(node).filter(
    (name) => !['generatetoaddress', 'unloadwallet', 'encryptwallet'].includes(name),
  )

  it('always answers a call, with a result or with a code and a text', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names, 'nosuch'), params, (method, given) => {
        const { status, body } = devnet.handle(blockchain, JSON.stringify({ id: 7, method, params: given }))
        const answer = at(JSON.parse(body))
        expect(answer('id')).toBe(7)
        const code = answer('error', 'code')
        expect([status, typeof code]).toEqual(
          code === undefined ? [200, 'undefined'] : [code === -32601 ? 404 : 500, 'number'],
        )
        if (code !== undefined) expect(text(answer('error', 'message')).length).toBeGreaterThan(0)
      }),
      { numRuns: 2_000 },
    )
  })

  it('always answers a body, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.json(), fc.string(), fc.constantFrom('null', '[]', '[[]]', '[null]', '{}', '1')),
        (body) => {
          const { status, body: answer } = devnet.handle(blockchain, body)
          expect([200, 204, 400, 404, 500]).toContain(status)
          if (status !== 204) JSON.parse(answer)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
