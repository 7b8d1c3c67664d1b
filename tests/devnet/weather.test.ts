import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDevnet, type Devnet } from '../../devnet/create-devnet.ts'
import { PRESENT_NODES } from '../../devnet/node-settings.ts'
import { writeInscription } from '../../devnet/others/transactions-of-others.ts'
import { toHex } from '../../protocol/bytes.ts'
import { encodeTransaction } from '../../protocol/transaction.ts'
import { connect, nth, type Rpc, refusal, signed, unspent } from '../kit/call-devnet.ts'
import { at, list, number, text } from '../kit/rpc-client.ts'

describe('the weather of an embedded node', () => {
  let devnet: Devnet
  let rpc: Rpc
  let service: Rpc
  let address: string
  let now: number

  beforeEach(() => {
    now = 1_800_000_000_000
    devnet = createDevnet({ now: () => now, settings: PRESENT_NODES })
    rpc = connect(devnet, 'Bitcoin')
    service = connect(devnet, 'Bitcoin', '')
    address = text(rpc('getnewaddress'))
  })

  it('has the fee rate rise and fall, for the estimate and for the wallets', () => {
    rpc('devsetfeerate', 0.0025)
    expect(rpc('estimatesmartfee', 6)).toEqual({ feerate: 0.0025, blocks: 6 })
    const txid = rpc('sendtoaddress', address, 1)
    const entry = at(rpc('getmempoolentry', txid))
    expect((number(entry('fees', 'base')) / number(entry('vsize'))) * 1_000).toBeCloseTo(0.0025, 3)
    rpc('devsetfeerate')
    expect(at(rpc('estimatesmartfee', 6))('feerate')).toBe(0.00005)
  })

  it('refuses what pays more than maxfeerate, at any rate but zero', () => {
    const hex = signed(rpc, [nth(unspent(rpc), 0)], { [address]: 49.999 })
    expect(refusal(() => rpc('sendrawtransaction', hex, 0.001))).toMatchObject({
      code: -25,
      message: 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)',
    })
    expect(rpc('sendrawtransaction', hex, 0)).toBeTypeOf('string')
  })

  it('has its relay fee raised; on a node of the 1.14 family only getnetworkinfo says so', () => {
    const doge = connect(devnet, 'Dogecoin')
    doge('devsetoption', 'minrelaytxfee', 0.02)
    expect(at(doge('getmempoolinfo'))('mempoolminfee')).toBe(0)
    expect(at(doge('getnetworkinfo'))('relayfee')).toBe(0.02)
    const coin = nth(unspent(doge), 0)
    const hex = signed(doge, [coin], { [text(doge('getnewaddress'))]: coin.amount - 0.003 }, 'signrawtransaction')
    expect(refusal(() => doge('sendrawtransaction', hex))).toMatchObject({ message: '66: insufficient priority' })
    rpc('devsetoption', 'minrelaytxfee', 0.0001)
    expect(at(rpc('getmempoolinfo'))('mempoolminfee')).toBe(0.0001)
  })

  it('loses what no longer fits when its mempool is made smaller', () => {
    for (let i = 0; i < 10; i++) rpc('sendtoaddress', address, 1 + i)
    rpc('devsetoption', 'maxmempool', 500)
    expect(list(rpc('getrawmempool')).length).toBeLessThan(5)
    expect(refusal(() => rpc('devsetoption', 'nosuch', 1)).code).toBe(-8)
  })

  it('loses locks of coins and unlocked wallets when it restarts, and what waits only when told to', () => {
    const [first, second] = unspent(rpc).map(({ txid, vout }) => ({ txid, vout }))
    rpc('lockunspent', false, [first])
    rpc('lockunspent', false, [second], true)
    rpc('encryptwallet', 'open sesame')
    rpc('walletpassphrase', 'open sesame', 1_000)
    const txid = rpc('sendtoaddress', address, 1)
    rpc('devrestart')
    expect(rpc('listlockunspent')).toEqual([second])
    expect(at(rpc('getwalletinfo'))('unlocked_until')).toBe(0)
    expect(rpc('getrawmempool')).toEqual([txid])
    rpc('devrestart', false)
    expect(rpc('getrawmempool')).toEqual([])
  })

  it('keeps persistent locks, and no others, in its journal', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'hookline-weather-'))
    try {
      const open = () => createDevnet({ dataDir, chains: ['Bitcoin'], settings: PRESENT_NODES })
      const before = open()
      const call = connect(before, 'Bitcoin')
      const [first, second] = unspent(call).map(({ txid, vout }) => ({ txid, vout }))
      call('lockunspent', false, [first])
      call('lockunspent', false, [second], true)
      call('createwallet', 'forgotten')
      connect(before, 'Bitcoin', '')('createwallet', 'kept', false, false, '', false, true, true)
      before.close()
      const after = open()
      expect(connect(after, 'Bitcoin', '')('listlockunspent')).toEqual([second])
      expect(connect(after, 'Bitcoin', '')('listwallets')).toEqual(['', 'kept'])
      after.close()
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  })

  it('is swept by sendtoaddress and by sendall, locked coins left aside', () => {
    const [kept, ...others] = unspent(rpc)
    rpc('lockunspent', false, [{ txid: kept?.txid, vout: kept?.vout }])
    const elsewhere = text(connect(devnet, 'Bitcoin', 'faucet')('getnewaddress'))
    service('sendtoaddress', elsewhere, 50 * others.length, '', '', true)
    expect(unspent(rpc)).toEqual([])
    rpc('generatetoaddress', 1, elsewhere)
    rpc('lockunspent', true)
    expect(at(service('sendall', [elsewhere]))('complete')).toBe(true)
    expect(rpc('getbalance')).toBe(0)
    expect(refusal(() => service('sendall', [elsewhere])).code).toBe(-6)
  })

  it('lists coins by amount, and as many or as much as is asked for', () => {
    rpc('sendtoaddress', address, 2)
    rpc('sendtoaddress', address, 3)
    rpc('generatetoaddress', 1, text(connect(devnet, 'Bitcoin', 'faucet')('getnewaddress')))
    const amounts = (options: object) =>
      list(rpc('listunspent', 1, 9_999_999, [], true, options)).map((coin) => at(coin)('amount'))
    expect(amounts({ maximumAmount: 10 })).toEqual([2, 3])
    expect(amounts({ minimumAmount: 2.5, maximumAmount: 10 })).toEqual([3])
    expect(amounts({ maximumCount: 4 })).toHaveLength(4)
    expect(amounts({ minimumSumAmount: 120 })).toEqual([50, 50, 50])
  })

  it('says that a wallet is scanning, and refuses another scan', () => {
    rpc('devsetscanning', 100)
    now += 25_000
    expect(at(rpc('getwalletinfo'))('scanning')).toEqual({ duration: 25, progress: 0.25 })
    expect(refusal(() => rpc('rescanblockchain'))).toMatchObject({
      code: -4,
      message: 'Wallet is currently rescanning. Abort existing rescan or wait.',
    })
    now += 75_000
    expect(at(rpc('getwalletinfo'))('scanning')).toBe(false)
  })

  it('has a wallet that was restored from a backup, which a rescan tells of what came since', () => {
    const txid = rpc('sendtoaddress', address, 1)
    rpc('generatetoaddress', 1, text(connect(devnet, 'Bitcoin', 'faucet')('getnewaddress')))
    const height = number(rpc('getblockcount'))
    expect(rpc('devforgetpayments', height)).toContain(txid)
    expect(refusal(() => service('gettransaction', txid))).toMatchObject({ code: -5 })
    expect(rpc('rescanblockchain', height)).toEqual({ start_height: height, stop_height: height })
    expect(at(service('gettransaction', txid))('confirmations')).toBe(1)
  })

  it('has another wallet under the name of the one there was', () => {
    rpc('devreplacewallet')
    expect(rpc('getbalance')).toBe(0)
    expect(at(rpc('getaddressinfo', address))('ismine')).toBe(false)
    expect(text(rpc('getnewaddress'))).not.toBe(address)
  })

  it('has a block of a miner that knows only some of what waits', () => {
    const [first, second] = [rpc('sendtoaddress', address, 1), rpc('sendtoaddress', address, 2)]
    const hash = rpc('devmine', [second])
    expect(rpc('getrawmempool')).toEqual([first])
    expect(list(at(rpc('getblock', hash))('tx')).slice(1)).toEqual([second])
  })

  it('has a block of a miner that takes raw transactions whose scripts are not verified', () => {
    const coin = nth(unspent(rpc), 0)
    const { transactions, name } = writeInscription(
      { ...coin, amount: 5_000_000_000n },
      { type: 'text/plain', body: 'by another' },
    )
    const hexes = transactions.map((transaction) => toHex(encodeTransaction(transaction)))
    expect(refusal(() => rpc('sendrawtransaction', hexes[0]))).toMatchObject({ code: -26 })
    const hash = rpc('devmine', hexes)
    const txids = list(at(rpc('getblock', hash))('tx')).slice(1)
    expect(txids[1]).toBe(name.slice(0, 64))
    expect(rpc('getrawtransaction', txids[1], false)).toBe(hexes[1])
    expect(refusal(() => rpc('devmine', hexes))).toMatchObject({ code: -25 })
    expect(refusal(() => rpc('devmine', [`${hexes[0]}00`]))).toMatchObject({ code: -22 })
  })
})
