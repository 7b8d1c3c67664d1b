import { beforeEach, describe, expect, it } from 'vitest'
import { createDevnet, type Devnet } from '../../devnet/create-devnet.ts'
import { type NodeSettings, PRESENT_NODES } from '../../devnet/node-settings.ts'
import { fromHex, toHex } from '../../protocol/bytes.ts'
import { connect, nth, type Rpc, refusal, signed, type Unspent, unspent } from '../kit/call-devnet.ts'
import { at, list, number, text } from '../kit/rpc-client.ts'

describe('an embedded node with clusters', () => {
  let devnet: Devnet
  let rpc: Rpc
  let address: string
  let coins: Unspent[]

  function start(settings: Partial<NodeSettings> = {}): void {
    devnet = createDevnet({ chains: ['Bitcoin'], settings: { Bitcoin: { ...PRESENT_NODES.Bitcoin, ...settings } } })
    rpc = connect(devnet, 'Bitcoin')
    address = text(rpc('getnewaddress'))
    coins = unspent(rpc)
  }

  beforeEach(() => start())

  /** Spends coins to one output less `fee` base units, with data; what is returned can be spent again. */
  function spend(inputs: readonly Unspent[], fee: number, data = ''): Unspent & { hex: string } {
    const amount = Number((inputs.reduce((sum, one) => sum + one.amount, 0) - fee / 1e8).toFixed(8))
    const points = inputs.map(({ txid, vout }) => ({ txid, vout }))
    const outputs = [{ [address]: amount }, ...(data ? [{ data }] : [])]
    const known = inputs.map((one) => ({ ...one, scriptPubKey: toHex(one.script) }))
    const answer = at(rpc('signrawtransactionwithwallet', rpc('createrawtransaction', points, outputs), known))
    const hex = text(answer('hex'))
    const made = at(rpc('decoderawtransaction', hex))
    const script = fromHex(text(made('vout', 0, 'scriptPubKey', 'hex'))) ?? new Uint8Array(0)
    return { txid: text(made('txid')), vout: 0, amount, script, hex }
  }

  function send(inputs: readonly Unspent[], fee: number, data = ''): Unspent & { hex: string } {
    const made = spend(inputs, fee, data)
    rpc('sendrawtransaction', made.hex)
    return made
  }

  it('takes 64 unconfirmed transactions that hang together, and no more', () => {
    let coin = nth(coins, 0)
    for (let i = 0; i < 64; i++) coin = send([coin], 1_000)
    expect(refusal(() => send([coin], 1_000))).toMatchObject({ code: -26, message: 'too-large-cluster' })
    expect(at(rpc('getmempoolcluster', coin.txid))('txcount')).toBe(64)
    rpc('generatetoaddress', 1, address)
    expect(send([coin], 1_000).txid).toHaveLength(64)
  })

  it('counts children and siblings of one parent, whatever their depth', () => {
    start({ cluster: { count: 5, bytes: 101_000 } })
    const outputs = Object.fromEntries(Array.from({ length: 6 }, () => [text(rpc('getnewaddress')), 8]))
    const txid = text(rpc('sendrawtransaction', signed(rpc, [nth(coins, 0)], { ...outputs, [address]: 1.99 })))
    const child = (vout: number): Unspent => ({ txid, vout, amount: vout < 6 ? 8 : 1.99, script: new Uint8Array(0) })
    for (let vout = 0; vout < 4; vout++) send([child(vout)], 1_000)
    expect(refusal(() => send([child(4)], 1_000)).message).toBe('too-large-cluster')
  })

  it('takes no more than the vbytes of its limit together', () => {
    start({ maxDataScriptBytes: 100_000 })
    let coin = nth(coins, 0)
    for (let i = 0; i < 2; i++) coin = send([coin], 200_000, 'ab'.repeat(40_000))
    expect(refusal(() => send([coin], 200_000, 'ab'.repeat(40_000))).message).toBe('too-large-cluster')
  })

  it('never mines a chunk that fits in no block, nor what stands behind it', () => {
    start({ maxDataScriptBytes: 100_000, cluster: { count: 64, bytes: 3_000_000 }, maxBlockWeight: 1_000_000 })
    let coin = nth(coins, 0)
    for (let i = 0; i < 5; i++) coin = send([coin], 100_000, 'ab'.repeat(90_000))
    const child = spend([coin], 4_000_000)
    rpc('sendrawtransaction', child.hex, 0)
    const other = send([nth(coins, 1)], 500)
    rpc('generatetoaddress', 1, address)
    expect(list(rpc('getrawmempool'))).toHaveLength(6)
    expect(list(rpc('getrawmempool'))).not.toContain(other.txid)
    expect(number(at(rpc('getmempoolentry', child.txid))('chunkweight'))).toBeGreaterThan(1_000_000)
    rpc('devsetoption', 'blockmaxweight', 4_000_000)
    rpc('generatetoaddress', 1, address)
    expect(rpc('getrawmempool')).toEqual([])
  })

  it('mines a chain without such a child block by block', () => {
    start({ maxDataScriptBytes: 100_000, cluster: { count: 64, bytes: 3_000_000 }, maxBlockWeight: 1_000_000 })
    let coin = nth(coins, 0)
    for (let i = 0; i < 5; i++) coin = send([coin], 100_000 - i, 'ab'.repeat(90_000))
    for (const left of [3, 1, 0]) {
      rpc('generatetoaddress', 1, address)
      expect(list(rpc('getrawmempool'))).toHaveLength(left)
    }
  })

  it('throws out the worst chunk when it is full, and takes a package whose child pays for a parent that is too cheap', () => {
    start({ maxMempoolBytes: 1_000 })
    const cheap = send([nth(coins, 0)], 300)
    const dear = Array.from({ length: 9 }, (_, i) => send([nth(coins, i + 1)], 10_000).txid)
    expect(rpc('getrawmempool')).toEqual(dear)
    expect(number(at(rpc('getmempoolinfo'))('mempoolminfee'))).toBeGreaterThan(0.00002)
    expect(refusal(() => rpc('sendrawtransaction', cheap.hex))).toMatchObject({
      code: -26,
      message: expect.stringMatching(/^mempool min fee not met, 300 < \d+$/),
    })
    const child = spend([cheap], 90_000)
    const answer = at(rpc('submitpackage', [cheap.hex, child.hex]))
    expect(answer('package_msg')).toBe('success')
    expect(answer('replaced-transactions')).toEqual([])
    expect(list(rpc('getrawmempool'))).toEqual(expect.arrayContaining([cheap.txid, child.txid]))
  })

  it('takes all of a package or nothing', () => {
    start({ maxMempoolBytes: 1_000 })
    for (let i = 0; i < 10; i++) send([nth(coins, i)], 10_000)
    const before = rpc('getrawmempool')
    const parent = spend([nth(coins, 11)], 200)
    const answer = at(rpc('submitpackage', [parent.hex, spend([parent], 300).hex]))
    expect(answer('package_msg')).toBe('transaction failed')
    const errors = Object.values(Object(answer('tx-results'))).map((one) => at(one)('error'))
    expect(errors).toEqual(Array(2).fill(expect.stringMatching(/^mempool min fee not met, 500 < \d+$/)))
    expect(rpc('getrawmempool')).toEqual(before)
    expect(refusal(() => rpc('submitpackage', [parent.hex, spend([nth(coins, 12)], 500).hex]))).toMatchObject({
      code: -25,
      message: 'package topology disallowed. not child-with-parents or parents depend on each other.',
    })
  })

  it('replaces a transaction where that makes the mempool better at every size, unconfirmed inputs or not', () => {
    const first = send([nth(coins, 0)], 1_000)
    const other = send([nth(coins, 1)], 1_000)
    const larger = spend([nth(coins, 0), other], 2_500)
    rpc('sendrawtransaction', larger.hex)
    expect(list(rpc('getrawmempool'))).toEqual([other.txid, larger.txid])
    expect(refusal(() => rpc('getmempoolentry', first.txid)).code).toBe(-5)
  })

  it('refuses a replacement that pays more and is worth less to a miner', () => {
    const child = send([send([nth(coins, 0)], 200)], 20_000)
    const outputs = Object.fromEntries(Array.from({ length: 60 }, () => [text(rpc('getnewaddress')), 0.8]))
    const fee = 24_000
    const rest = Number((50 - 48 - fee / 1e8).toFixed(8))
    expect(
      refusal(() => rpc('sendrawtransaction', signed(rpc, [nth(coins, 0)], { ...outputs, [address]: rest }))),
    ).toMatchObject({
      code: -26,
      message: 'replacement-failed, insufficient feerate: does not improve feerate diagram',
    })
    expect(list(rpc('getrawmempool'))).toContain(child.txid)
  })

  it('gives up what a reorganisation joins beyond its limit, the worst of it', () => {
    let coin = nth(coins, 0)
    const hashes: unknown[] = []
    const txids: string[] = []
    for (let i = 0; i < 80; i++) {
      coin = send([coin], 1_000)
      txids.push(coin.txid)
      if (i % 40 === 39) hashes.push(...list(rpc('generatetoaddress', 1, address)))
    }
    rpc('invalidateblock', hashes[0])
    expect(rpc('getrawmempool')).toEqual(txids.slice(0, 64))
  })

  it('shares one limit of data between any number of data outputs', () => {
    const data = (bytes: number) => [{ data: 'ab'.repeat(bytes) }, { data: 'cd'.repeat(30) }, { [address]: 49.999 }]
    const sign = (bytes: number) =>
      text(
        at(
          rpc(
            'signrawtransactionwithwallet',
            rpc(
              'createrawtransaction',
              [nth(coins, 0)].map(({ txid, vout }) => ({ txid, vout })),
              data(bytes),
            ),
          ),
        )('hex'),
      )
    expect(refusal(() => rpc('sendrawtransaction', sign(60)))).toMatchObject({ code: -26, message: 'datacarrier' })
    expect(rpc('sendrawtransaction', sign(40))).toBeTypeOf('string')
  })
})
