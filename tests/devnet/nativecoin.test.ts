import { describe, expect, it } from 'vitest'
import { createDevnet } from '../../devnet/create-devnet.ts'
import { connect, nth, refusal, signed, unspent } from '../kit/call-devnet.ts'
import { at, number, text } from '../kit/rpc-client.ts'

describe('the embedded Nativecoin node', () => {
  it('takes 102,480 bytes of data in one transaction, 25 in a chain, all in one block', () => {
    const devnet = createDevnet({ chains: ['Nativecoin'] })
    const rpc = connect(devnet, 'Nativecoin')
    const address = text(rpc('getnewaddress'))
    let { txid, vout, amount } = nth(unspent(rpc), 0)
    const spend = (bytes: number) =>
      signed(rpc, [{ txid, vout }], { [address]: Number((amount - 0.002).toFixed(8)), data: 'cd'.repeat(bytes) })
    expect(refusal(() => rpc('sendrawtransaction', spend(102_481)))).toMatchObject({
      code: -26,
      message: 'scriptpubkey',
    })
    for (let i = 0; i < 25; i++) {
      txid = text(rpc('sendrawtransaction', spend(102_480)))
      vout = 0
      amount = Number((amount - 0.002).toFixed(8))
    }
    expect(refusal(() => rpc('sendrawtransaction', spend(102_480)))).toMatchObject({
      message: 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]',
    })
    rpc('generatetoaddress', 1, address)
    expect(at(rpc('getmempoolinfo'))('size')).toBe(0)
  })

  it('fills a block as large as Bitcoin has with nine of them, and goes on with the next', () => {
    const devnet = createDevnet({ chains: ['Nativecoin'], settings: { Nativecoin: { maxBlockWeight: 4_000_000 } } })
    const rpc = connect(devnet, 'Nativecoin')
    const address = text(rpc('getnewaddress'))
    for (const coin of unspent(rpc)) {
      rpc('sendrawtransaction', signed(rpc, [coin], { [address]: 49.998, data: 'cd'.repeat(102_480) }))
    }
    for (const left of [11, 2, 0]) {
      const [hash] = [rpc('generatetoaddress', 1, address)].flat()
      expect(at(rpc('getmempoolinfo'))('size')).toBe(left)
      expect(number(at(rpc('getblock', hash))('weight'))).toBeLessThanOrEqual(4_000_000)
    }
  })

  it('takes less when it is set up as a stock node', () => {
    const devnet = createDevnet({
      chains: ['Nativecoin'],
      settings: { Nativecoin: { maxStandardWeight: 400_000, descendants: { count: 25, bytes: 101_000 } } },
    })
    const rpc = connect(devnet, 'Nativecoin')
    const address = text(rpc('getnewaddress'))
    const coin = nth(unspent(rpc), 0)
    const spend = (bytes: number) => signed(rpc, [coin], { [address]: 49.9, data: 'cd'.repeat(bytes) })
    expect(refusal(() => rpc('sendrawtransaction', spend(102_480)))).toMatchObject({ code: -26, message: 'tx-size' })
    const txid = text(rpc('sendrawtransaction', spend(99_000)))
    const next = signed(rpc, [{ txid, vout: 0 }], { [address]: 49.8, data: 'cd'.repeat(99_000) })
    expect(refusal(() => rpc('sendrawtransaction', next))).toMatchObject({
      code: -26,
      message: `too-long-mempool-chain, exceeds descendant size limit for tx ${txid} [limit: 101000]`,
    })
  })
})
