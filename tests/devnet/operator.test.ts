import { beforeEach, describe, expect, it } from 'vitest'
import { createDevnet, type Devnet } from '../../devnet/create-devnet.ts'
import { connect, nth, type Rpc, refusal, signed, unspent } from '../kit/call-devnet.ts'
import { at, text } from '../kit/rpc-client.ts'

const DAY = 86_400_000

describe('an operator of the embedded nodes', () => {
  let devnet: Devnet
  let rpc: Rpc
  let address: string
  let now: number

  beforeEach(() => {
    now = 1_800_000_000_000
    devnet = createDevnet({ now: () => now })
    rpc = connect(devnet, 'Bitcoin')
    address = text(rpc('getnewaddress'))
  })

  // Texts as litecoind 0.21 gives them.
  it('may lock the wallet, which then signs only after its passphrase', () => {
    const raw = rpc(
      'createrawtransaction',
      [nth(unspent(rpc), 0)].map(({ txid, vout }) => ({ txid, vout })),
      [{ [address]: 49 }],
    )
    expect(refusal(() => rpc('walletlock'))).toMatchObject({
      code: -15,
      message: 'Error: running with an unencrypted wallet, but walletlock was called.',
    })
    rpc('encryptwallet', 'open sesame')
    expect(refusal(() => rpc('signrawtransactionwithwallet', raw))).toMatchObject({
      code: -13,
      message: 'Error: Please enter the wallet passphrase with walletpassphrase first.',
      status: 500,
    })
    expect(refusal(() => rpc('walletpassphrase', 'wrong', 60))).toMatchObject({
      code: -14,
      message: 'Error: The wallet passphrase entered was incorrect.',
    })
    rpc('walletpassphrase', 'open sesame', 60)
    expect(at(rpc('signrawtransactionwithwallet', raw))('complete')).toBe(true)
    now += 60_000
    expect(refusal(() => rpc('signrawtransactionwithwallet', raw)).code).toBe(-13)
    expect(text(rpc('getnewaddress'))).toMatch(/^bcrt1/)
  })

  it('may have no wallet loaded, and load it again with what came meanwhile', () => {
    rpc('unloadwallet', '')
    expect(refusal(() => rpc('getbalance'))).toMatchObject({
      code: -18,
      message: expect.stringMatching(/^No wallet is loaded\./),
    })
    expect(rpc('listwallets')).toEqual([])
    connect(devnet, 'Bitcoin', 'faucet')('sendtoaddress', address, 2)
    rpc('loadwallet', '')
    expect(rpc('getunconfirmedbalance')).toBe(2)
    expect(refusal(() => rpc('loadwallet', '')).code).toBe(-35)
    expect(refusal(() => rpc('loadwallet', 'nosuch')).code).toBe(-18)
  })

  it('keeps the change of what it spends: none goes back to an address that somebody was given', () => {
    const faucet = connect(devnet, 'Bitcoin', 'faucet')
    rpc(
      'lockunspent',
      false,
      unspent(rpc).map(({ txid, vout }) => ({ txid, vout })),
    )
    faucet('sendtoaddress', address, 5)
    rpc('generatetoaddress', 1, faucet('getnewaddress'))
    connect(devnet, 'Bitcoin', '')('sendtoaddress', faucet('getnewaddress'), 2)
    expect(rpc('getreceivedbyaddress', address, 0)).toBe(5)
    expect(unspent(rpc, 0).map(({ amount }) => Math.round(amount))).toEqual([3])
  })

  it('may have several wallets, each with its own coins', () => {
    rpc('createwallet', 'second')
    const second = connect(devnet, 'Bitcoin', 'second')
    rpc('sendtoaddress', second('getnewaddress'), 3)
    rpc('generatetoaddress', 1, address)
    expect(second('getbalance')).toBe(3)
    second('sendtoaddress', address, 1)
    expect(Number(second('getbalance'))).toBeLessThan(2)
    expect(refusal(() => rpc('createwallet', 'second')).code).toBe(-4)
  })

  it('may see the node start, and download blocks', () => {
    const node = devnet.node('Bitcoin')
    node.warmup = 'Loading block index…'
    expect(refusal(() => rpc('getblockcount'))).toMatchObject({
      code: -28,
      message: 'Loading block index…',
      status: 500,
    })
    node.warmup = undefined
    node.syncing = true
    expect(at(rpc('getblockchaininfo'))('initialblockdownload')).toBe(true)
  })

  it('loses what waited too long: a day on Dogecoin, two weeks elsewhere', () => {
    const doge = connect(devnet, 'Dogecoin')
    const old = [rpc('sendtoaddress', address, 1), doge('sendtoaddress', doge('getnewaddress'), 1)]
    now += DAY + 1_000
    const fresh = [rpc('sendtoaddress', address, 1), doge('sendtoaddress', doge('getnewaddress'), 1)]
    expect(rpc('getrawmempool')).toEqual([old[0], fresh[0]])
    expect(doge('getrawmempool')).toEqual([fresh[1]])
    now += 14 * DAY + 1_000
    const last = rpc('sendtoaddress', address, 1)
    expect(rpc('getrawmempool')).toEqual([last])
  })

  it('loses what pays least when the mempool is full, and what comes must pay more until the next block', () => {
    devnet = createDevnet({ chains: ['Bitcoin'], settings: { Bitcoin: { maxMempoolBytes: 1_000 } } })
    rpc = connect(devnet, 'Bitcoin')
    address = text(rpc('getnewaddress'))
    const coins = unspent(rpc)
    const spend = (index: number, fee: number) =>
      text(rpc('sendrawtransaction', signed(rpc, [nth(coins, index)], { [address]: (50 - fee).toFixed(8) })))
    const low = spend(0, 0.00002)
    const rest = Array.from({ length: 8 }, (_, i) => spend(i + 1, 0.0001))
    expect(rpc('getrawmempool')).toContain(low)
    rest.push(spend(9, 0.0001))
    expect(rpc('getrawmempool')).toEqual(rest)
    expect(at(rpc('getmempoolinfo'))('mempoolminfee')).toBeGreaterThan(0.00001)
    expect(refusal(() => spend(10, 0.00002))).toMatchObject({
      code: -26,
      message: expect.stringMatching(/^mempool min fee not met, 2000 < \d+$/),
    })
    expect(refusal(() => spend(11, 0.00005))).toMatchObject({ code: -26, message: 'mempool full' })
    rpc('generatetoaddress', 1, address)
    expect(spend(10, 0.00002)).toHaveLength(64)
  })
})
