import { beforeEach, describe, expect, it } from 'vitest'
import { createDevnet, type Devnet } from '../../devnet/create-devnet.ts'
import { connect, nth, type Rpc, refusal, signed, type Unspent, unspent } from '../kit/call-devnet.ts'
import { at, text } from '../kit/rpc-client.ts'

describe('replacing a waiting transaction on the embedded Bitcoin node', () => {
  let devnet: Devnet
  let rpc: Rpc
  let address: string
  let coins: Unspent[]

  const send = (hex: string) => text(rpc('sendrawtransaction', hex))
  const spend = (inputs: { txid: string; vout: number; sequence?: number }[], amount: number) =>
    signed(rpc, inputs, { [address]: Number(amount.toFixed(8)) })

  beforeEach(() => {
    devnet = createDevnet({ chains: ['Bitcoin'] })
    rpc = connect(devnet, 'Bitcoin')
    address = text(rpc('getnewaddress'))
    coins = unspent(rpc)
  })

  it('needs a higher fee rate, and no signal', () => {
    const coin = { ...nth(coins, 0), sequence: 0xffffffff }
    const first = send(spend([coin], 49.999))
    expect(refusal(() => send(spend([coin], 49.9995)))).toMatchObject({
      code: -26,
      message: expect.stringMatching(
        /^insufficient fee, rejecting replacement [0-9a-f]{64}; new feerate \S+ BTC\/kvB <= old feerate \S+ BTC\/kvB$/,
      ),
    })
    const second = send(spend([coin], 49.998))
    expect(rpc('getrawmempool')).toEqual([second])
    const replaced = at(rpc('gettransaction', first))
    expect([replaced('confirmations'), replaced('walletconflicts', 0)]).toEqual([0, second])
    rpc('generatetoaddress', 2, address)
    expect(at(rpc('gettransaction', first))('confirmations')).toBe(-2)
    expect(at(rpc('gettransaction', second))('confirmations')).toBe(2)
  })

  it('says of money of others that it is lost once a block spends its coin otherwise, and of what stands on it', () => {
    const service = connect(devnet, 'Bitcoin', '')
    const coin = nth(coins, 0)
    const income = send(signed(rpc, [coin], { [text(service('getnewaddress'))]: 49.999 }))
    const own = text(
      service('sendrawtransaction', signed(service, [{ txid: income, vout: 0 }], { [address]: 49.9985 })),
    )
    const depths = () => [income, own].map((txid) => at(service('gettransaction', txid))('confirmations'))
    expect(depths()).toEqual([0, 0])
    // Of the payer's wallet alone: the service's never hears of what takes its place.
    send(spend([coin], 49.9965))
    expect(depths()).toEqual([0, 0])
    rpc('generatetoaddress', 2, address)
    expect(depths()).toEqual([-2, -2])
  })

  it('must pay for all it throws out, and for itself', () => {
    const coin = nth(coins, 0)
    const first = send(spend([coin], 49.9999))
    const child = send(spend([{ txid: first, vout: 0 }], 49.999))
    expect(refusal(() => send(spend([coin], 49.9995)))).toMatchObject({
      code: -26,
      message: expect.stringMatching(
        /^insufficient fee, rejecting replacement [0-9a-f]{64}, less fees than conflicting txs; /,
      ),
    })
    expect(refusal(() => send(spend([coin], 49.999)))).toMatchObject({
      message: expect.stringMatching(/, not enough additional fees to relay; 0\.00000000 < 0\.00000110$/),
    })
    const last = send(spend([coin], 49.998))
    expect(rpc('getrawmempool')).toEqual([last])
    expect(refusal(() => rpc('getmempoolentry', child))).toMatchObject({ code: -5 })
  })

  it('may not add an unconfirmed input, nor spend what it replaces', () => {
    const [one, two] = [nth(coins, 0), nth(coins, 1)]
    const other = send(spend([two], 49.9999))
    send(spend([one], 49.9999))
    expect(refusal(() => send(spend([one, { txid: other, vout: 0 }], 99)))).toMatchObject({
      code: -26,
      message: expect.stringMatching(
        /^replacement-adds-unconfirmed, replacement [0-9a-f]{64} adds unconfirmed input, idx 1$/,
      ),
    })
    const conflicting = refusal(() => send(spend([two, { txid: other, vout: 0 }], 99)))
    expect(conflicting).toMatchObject({
      code: -26,
      message: expect.stringMatching(
        /^bad-txns-spends-conflicting-tx, [0-9a-f]{64} spends conflicting transaction [0-9a-f]{64}$/,
      ),
    })
  })

  it('can be done by the node itself, when it throws a transaction out', () => {
    const first = send(spend([nth(coins, 0)], 49.9999))
    const child = send(spend([{ txid: first, vout: 0 }], 49.99))
    expect(devnet.node('Bitcoin').evict([first]).sort()).toEqual([first, child].sort())
    expect(rpc('getrawmempool')).toEqual([])
    expect(at(rpc('gettransaction', first))('confirmations')).toBe(0)
    expect(refusal(() => rpc('getrawtransaction', first)).code).toBe(-5)
    expect(send(text(at(rpc('gettransaction', first))('hex')))).toBe(first)
  })
})
