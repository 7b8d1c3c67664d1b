import { beforeEach, describe, expect, it } from 'vitest'
import { createDevnet } from '../../devnet/create-devnet.ts'
import { connect, nth, type Rpc, refusal, signed, type Unspent, unspent } from '../kit/call-devnet.ts'
import { at, list, text } from '../kit/rpc-client.ts'

// The texts and codes are those of Dogecoin Core 1.14 (src/validation.cpp, src/rpc/rawtransaction.cpp).
describe('the embedded Dogecoin node', () => {
  let rpc: Rpc
  let address: string
  let coin: Unspent

  const sign = (inputs: { txid: string; vout: number; sequence?: number }[], outputs: Record<string, unknown>) =>
    signed(rpc, inputs, outputs, 'signrawtransaction')
  const send = (hex: string, ...more: unknown[]) => text(rpc('sendrawtransaction', hex, ...more))

  beforeEach(() => {
    rpc = connect(createDevnet({ chains: ['Dogecoin'] }), 'Dogecoin')
    address = text(rpc('getnewaddress'))
    coin = nth(unspent(rpc), 0)
  })

  it('has no segwit: its addresses are P2PKH and a witness is refused', () => {
    expect(address).toMatch(/^[mn]/)
    const hex = sign([coin], { [address]: 9_999 })
    const input = hex.slice(8, -8).replace(/^01/, '')
    const withWitness = `${hex.slice(0, 8)}000101${input}0101aa${hex.slice(-8)}`
    expect(refusal(() => send(withWitness))).toMatchObject({ code: -26, message: '64: no-witness-yet' })
  })

  it('lacks the methods that came to Bitcoin Core after 0.14', () => {
    for (const method of ['signrawtransactionwithwallet', 'testmempoolaccept', 'getaddressinfo', 'createwallet']) {
      expect(refusal(() => rpc(method, 'x'))).toMatchObject({ code: -32601, message: 'Method not found', status: 404 })
    }
  })

  it('takes a boolean where Core takes a fee rate, and nothing else', () => {
    const hex = sign([coin], { [address]: 9_999 })
    expect(refusal(() => send(hex, 0)).code).toBe(-3)
    expect(send(hex, false)).toHaveLength(64)
  })

  it('answers JSON-RPC 1.0 whatever the caller asks for', () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getblockhash', params: [10_000_000] })
    const { status, body: answer } = createDevnet({ chains: ['Dogecoin'] }).handle('dogecoin', body)
    expect(status).toBe(500)
    expect(JSON.parse(answer)).toEqual({
      result: null,
      error: { code: -8, message: 'Block height out of range' },
      id: 1,
    })
  })

  it('refuses with the reject code before the reason', () => {
    const spend = (outputs: Record<string, unknown>) => refusal(() => send(sign([coin], outputs)))
    expect(spend({ [address]: 9_999, data: 'ab'.repeat(81) })).toMatchObject({ code: -26, message: '64: scriptpubkey' })
    expect(spend({ [address]: 0.0005 })).toMatchObject({ code: -26, message: '64: dust' })
    expect(spend({ [address]: coin.amount - 0.0001 })).toMatchObject({
      code: -26,
      message: '66: insufficient priority',
    })
    expect(spend({ [address]: 9_000 })).toMatchObject({ code: -26, message: '256: absurdly-high-fee' })
    expect(refusal(() => send('00'))).toMatchObject({ code: -22, message: 'TX decode failed' })
  })

  it('wants 0.01 more in fees for every output below 0.01', () => {
    const other = text(rpc('getnewaddress'))
    const outputs = (fee: number) => ({ [address]: Number((coin.amount - 0.005 - fee).toFixed(8)), [other]: 0.005 })
    expect(refusal(() => send(sign([coin], outputs(0.01))))).toMatchObject({ code: -26, message: /^66: / })
    expect(send(sign([coin], outputs(0.011)))).toHaveLength(64)
  })

  it('says of a spent output what it can, and of an unknown one that inputs are missing', () => {
    const others = [text(rpc('getnewaddress')), text(rpc('getnewaddress'))]
    const first = sign([coin], { [nth2(others, 0)]: 4_000, [nth2(others, 1)]: 5_999 })
    const txid = send(first)
    rpc('generatetoaddress', 1, address)
    expect(refusal(() => send(first))).toMatchObject({ code: -27, message: 'transaction already in block chain' })
    const spend = sign([{ txid, vout: 0 }], { [address]: 3_999 })
    const rival = sign([{ txid, vout: 0 }], { [address]: 3_998 })
    const both = sign([{ txid, vout: 1 }], { [address]: 5_998 })
    send(spend)
    expect(refusal(() => send(rival))).toMatchObject({ code: -26, message: '258: txn-mempool-conflict' })
    rpc('generatetoaddress', 1, address)
    expect(refusal(() => send(rival))).toMatchObject({ code: -26, message: '18: bad-txns-inputs-spent' })
    send(both)
    rpc('generatetoaddress', 1, address)
    expect(refusal(() => send(rival))).toMatchObject({ code: -25, message: 'Missing inputs' })
  })

  it('keeps the limit of 25, parent included, with no room for one more', () => {
    const addresses = Array.from({ length: 30 }, () => text(rpc('getnewaddress')))
    const txid = send(sign([coin], Object.fromEntries(addresses.map((one) => [one, 300]))), true)
    const vouts = list(at(rpc('decoderawtransaction', rpc('getrawtransaction', txid)))('vout'))
    expect(vouts).toHaveLength(30)
    for (let vout = 0; vout < 24; vout++) send(sign([{ txid, vout }], { [address]: 299 }))
    const refused = refusal(() => send(sign([{ txid, vout: 24 }], { [address]: 299 })))
    expect(refused).toMatchObject({ code: -26, message: '64: too-long-mempool-chain' })
  })

  it('lets a waiting transaction be replaced only if it said so', () => {
    const open = nth(unspent(rpc), 1)
    send(sign([{ ...open, sequence: 0xfffffffd }], { [address]: 9_999 }))
    const dearer = send(sign([open], { [address]: 9_998 }))
    expect(rpc('getrawmempool')).toEqual([dearer])
    expect(refusal(() => send(sign([open], { [address]: 9_997 })))).toMatchObject({
      message: '258: txn-mempool-conflict',
    })
  })

  it('leaves transactions below the recommended fee alone until a child pays for them', () => {
    const parent = send(sign([coin], { [address]: Number((coin.amount - 0.0005).toFixed(8)) }))
    rpc('generatetoaddress', 1, address)
    expect(rpc('getrawmempool')).toEqual([parent])
    send(sign([{ txid: parent, vout: 0 }], { [address]: Number((coin.amount - 0.1).toFixed(8)) }))
    rpc('generatetoaddress', 1, address)
    expect(rpc('getrawmempool')).toEqual([])
  })

  it('says what dust is, and its fees', () => {
    const info = at(rpc('getnetworkinfo'))
    expect([info('relayfee'), info('softdustlimit'), info('harddustlimit')]).toEqual([0.001, 0.01, 0.001])
    expect(at(rpc('estimatesmartfee', 6))('feerate')).toBe(0.01)
  })

  it('writes amounts exactly that no number of JavaScript holds', () => {
    const devnet = createDevnet({
      chains: ['Dogecoin'],
      settings: {
        Dogecoin: {
          premine: { faucet: { count: 2, value: 10_000_000_000_000_001n }, service: { count: 1, value: 1n } },
        },
      },
    })
    const call = (method: string, params: string) =>
      devnet.handle('Dogecoin', `{"id":1,"method":"${method}","params":${params}}`).body
    const own = JSON.parse(call('getnewaddress', '[]')).result
    expect(call('sendtoaddress', `["${own}",90071992.54740993]`)).toContain('"error":null')
    expect(call('listunspent', '[0]')).toContain('"amount":90071992.54740993,')
  })
})

function nth2(values: readonly string[], index: number): string {
  return values[index] ?? ''
}
