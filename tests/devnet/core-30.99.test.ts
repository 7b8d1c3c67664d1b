import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { payToWitnessPubKeyHash } from '../../devnet/address.ts'
import { createDevnet, type Devnet } from '../../devnet/create-devnet.ts'
import { hash160 } from '../../devnet/hash.ts'
import { readLedgerTransaction } from '../../devnet/ledger-transaction.ts'
import { PRESENT_NODES, STOCK_CORE } from '../../devnet/node-settings.ts'
import { fromHex } from '../../protocol/bytes.ts'
import { decodeTransaction } from '../../protocol/transaction.ts'
import { connect, type Rpc, refusal, signed, unspent } from '../kit/call-devnet.ts'
import { at, list, text } from '../kit/rpc-client.ts'

/** A call to a real node and what it answered; `wallet` is the one that the URL named. */
interface Recorded {
  about: string
  wallet?: string
  request: unknown
  http: number
  answer: unknown
}

const recorded: { calls: Recorded[] } = JSON.parse(
  readFileSync(new URL('./fixtures/core-30.99.json', import.meta.url), 'utf8'),
)

/** The recorded call about something. @throws {RangeError} */
function find(about: string, method?: string): Recorded {
  const call = recorded.calls.find((one) => one.about === about && (!method || at(one.request)('method') === method))
  if (!call) throw new RangeError(`nothing is recorded about ${about}`)
  return call
}

/** What each coin that the recorded transactions spend was worth. */
const COIN = 200_000_000n

/** Puts the coin that a recorded transaction spends onto the embedded chain: its script follows from the witness. */
function plant(devnet: Devnet, hex: string, recordedTxids: ReadonlySet<string>): void {
  const bytes = fromHex(hex)
  if (!bytes) return
  const { chain } = devnet.node('Bitcoin')
  for (const { txid, vout, witness } of decodeTransaction(bytes).inputs) {
    const publicKey = witness[1]
    if (!publicKey || recordedTxids.has(txid)) continue
    const script = payToWitnessPubKeyHash(hash160(publicKey))
    chain.coins.set(`${txid}:${vout}`, { value: COIN, script, height: 1, coinbase: false })
  }
}

function readTxid(hex: string): string {
  return readLedgerTransaction(fromHex(hex) ?? new Uint8Array(0)).txid
}

/** What an answer is made of: names and types, and of a list what its first entry is made of. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, shapeOf(member)]))
}

const WHOLE = recorded.calls.filter(({ request }) => {
  const params = at(request)('params')
  return Array.isArray(params) && !JSON.stringify(params).includes('characters)')
})
const SENT = ['sendrawtransaction', 'testmempoolaccept', 'submitpackage']
/** Calls before these depend on a chain that is not in the record. */
const OTHER_CHAIN = ['the first one again, mined', 'a cheap one into a full mempool']

describe('the embedded Bitcoin node beside recorded answers of Bitcoin Core 30.99', () => {
  let devnet: Devnet
  let rpc: Rpc

  beforeEach(() => {
    devnet = createDevnet({
      chains: ['Bitcoin'],
      settings: { Bitcoin: { ...PRESENT_NODES.Bitcoin, ...STOCK_CORE, maxMempoolBytes: 5_000_000 } },
      now: () => 1_795_304_184_000,
    })
    rpc = connect(devnet, 'Bitcoin')
  })

  /** Asks the embedded node the very same. */
  const ask = ({ request }: Recorded, wallet?: string): { status: number; answer: unknown } => {
    const body = typeof request === 'string' ? request : JSON.stringify(request)
    const { status, body: answer } = devnet.handle('Bitcoin', body, wallet)
    return { status, answer: JSON.parse(answer) }
  }

  it('says the same, to the letter, to every recorded transaction', () => {
    const calls = WHOLE.filter(
      ({ request, about }) => SENT.includes(text(at(request)('method'))) && !OTHER_CHAIN.includes(about),
    )
    expect(calls.length).toBeGreaterThanOrEqual(15)
    const hexes = calls.flatMap(({ request }) => list(at(request)('params')).flat().map(text))
    const txids = new Set(hexes.flatMap((hex) => (/^02000000/.test(hex) ? readTxid(hex) : [])))
    // The coin of the unsigned transaction is the one that signed ones spend.
    for (const hex of hexes) if (/^02000000/.test(hex)) plant(devnet, hex, txids)
    for (const call of calls) {
      expect({ about: call.about, ...ask(call) }).toEqual({
        about: call.about,
        status: call.http,
        answer: call.answer,
      })
    }
  })

  it('describes the first of them the same while it waits', () => {
    const first = find('one OP_RETURN of 80 bytes')
    plant(devnet, text(at(first.request)('params', 0)), new Set())
    ask(first)
    const entry = { ...Object(at(find('waiting', 'getmempoolentry').answer)('result')) }
    const described = { ...Object(at(ask(find('waiting', 'getmempoolentry')).answer)('result')) }
    // When it came, and at which height, is the recorder's.
    for (const key of ['time', 'height']) entry[key] = described[key]
    expect(described).toEqual(entry)
    expect(ask(find('waiting', 'getrawtransaction')).answer).toEqual(find('waiting', 'getrawtransaction').answer)
    expect(ask(find('its cluster')).answer).toEqual(find('its cluster').answer)
  })

  it.each(
    recorded.calls.filter(
      ({ request, about, answer }) =>
        typeof at(answer)('error', 'code') === 'number' &&
        !SENT.includes(String(at(request)('method'))) &&
        !/^(?:unlocking|locked|wrong passphrase|unloaded|no wallet named|a proof|JSON-RPC 2)/.test(about),
    ),
  )('refuses as recorded: $about', (call) => {
    const wallet = call.wallet === 'hl' ? '' : call.wallet
    expect(ask(call, wallet)).toEqual({ status: call.http, answer: call.answer })
  })

  it('answers a batch, good and bad, in its order', () => {
    const { answer } = ask(find('a batch, good and bad'))
    const expected = list(find('a batch, good and bad').answer)
    expect(list(answer).slice(1)).toEqual(expected.slice(1))
    expect(ask(find('JSON-RPC 2.0'))).toEqual({ status: 200, answer: find('JSON-RPC 2.0').answer })
  })

  it.each([
    ['as it stands', 'getnetworkinfo', ['networks', 'warnings', 'localaddresses']],
    ['as it stands', 'getblockchaininfo', ['warnings']],
    ['as it stands', 'getmempoolinfo', []],
    ['as it stands', 'getindexinfo', []],
    ['as it stands', 'uptime', []],
    ['as it stands', 'getwalletinfo', []],
    ['as it stands', 'getbalances', []],
    ['as it stands', 'getbalance', []],
    ['locked: info', 'getwalletinfo', []],
    ['a mempool of 5 MB with 51 large ones', 'getmempoolinfo', []],
  ])('has the fields of what is recorded %s: %s', (about, method, lists) => {
    if (about.startsWith('locked')) rpc('encryptwallet', 'secret')
    const expected = { ...Object(at({ a: find(about, method).answer })('a', 'result')) }
    const actual = { ...Object(rpc(method)) }
    for (const key of lists) {
      delete expected[key]
      delete actual[key]
    }
    expect(shapeOf(actual)).toEqual(shapeOf(expected))
  })

  it('has the fields of blocks, headers, wallet transactions and proofs', () => {
    const address = text(rpc('getnewaddress'))
    const before = text(rpc('getbestblockhash'))
    const [coin] = unspent(rpc)
    const hex = signed(rpc, coin ? [coin] : [], { [address]: 49.999, data: 'ab' })
    const txid = text(rpc('sendrawtransaction', hex))
    const waiting = at(find('waiting, of the wallet').answer)('result')
    const own = { ...Object(rpc('gettransaction', txid)) }
    const expected = { ...Object(waiting) }
    delete own.details
    delete expected.details
    expect(Object.keys(own).sort()).toEqual(Object.keys(expected).sort())
    const [hash] = list(rpc('generatetoaddress', 2, address))
    expect(shapeOf(rpc('getblock', hash, 1))).toEqual(
      shapeOf({ ...Object(at(find('its block, as txids').answer)('result')), tx: [''] }),
    )
    expect(text(rpc('getblockheader', hash, false))).toHaveLength(160)
    const mined = { ...Object(at(find('mined').answer)('result')) }
    expect(Object.keys(Object(rpc('getrawtransaction', txid, 1))).sort()).toEqual(Object.keys(mined).sort())
    const since = at(rpc('listsinceblock', before))
    expect(Object.keys(Object(since())).sort()).toEqual(['lastblock', 'removed', 'transactions'])
    expect(shapeOf(rpc('getchaintips'))).toEqual(shapeOf(at(find('tips').answer)('result')))
    expect(text(rpc('gettxoutproof', [txid], hash)).slice(0, 160)).toBe(rpc('getblockheader', hash, false))
    expect(refusal(() => rpc('gettxoutproof', ['ab'.repeat(32)], hash))).toMatchObject(
      Object(at(find('a proof of what is not in the block').answer)('error')),
    )
  })

  it('raises the fee of a payment of the wallet, and tells of both, with the recorded fields', () => {
    const named = connect(devnet, 'Bitcoin', '')
    const elsewhere = text(connect(devnet, 'Bitcoin', 'faucet')('getnewaddress'))
    const txid = text(named('sendtoaddress', elsewhere, 0.5))
    const bumped = at(named('bumpfee', txid))
    const recordedBump = at(find('raising the fee of a payment of the wallet').answer)('result')
    expect(shapeOf(bumped())).toEqual(shapeOf(recordedBump))
    expect(Number(bumped('fee'))).toBeGreaterThan(Number(bumped('origfee')))
    expect(rpc('getrawmempool')).toEqual([bumped('txid')])
    const replaced = { ...Object(named('gettransaction', txid)) }
    const expected = { ...Object(at(find('the one that was replaced').answer)('result')) }
    expect(Object.keys(replaced).sort()).toEqual(Object.keys(expected).sort())
    expect(replaced.replaced_by_txid).toBe(bumped('txid'))
    expect(at(named('gettransaction', bumped('txid')))('replaces_txid')).toBe(txid)
    expect(refusal(() => named('bumpfee', txid)).code).toBe(-4)
  })

  it('says that it has no estimate as a young node does', () => {
    rpc('devsetfeerate', 'none')
    expect(rpc('estimatesmartfee', 6)).toEqual(at(find('no estimate yet').answer)('result'))
  })

  it('locks coins as recorded', () => {
    const [coin] = unspent(rpc)
    const outputs = [{ txid: coin?.txid, vout: coin?.vout }]
    expect(rpc('lockunspent', false, outputs, true)).toBe(at(find('locking coins').answer)('result'))
    expect(rpc('listlockunspent')).toEqual(outputs)
    expect(rpc('lockunspent', false, outputs, true)).toBe(at(find('locking again').answer)('result'))
    const other = unspent(rpc).map(({ txid, vout }) => ({ txid, vout }))[0]
    expect(refusal(() => rpc('lockunspent', true, [other]))).toMatchObject(
      Object(at(find('unlocking what is not locked').answer)('error')),
    )
  })

  it('refuses what a locked, an unloaded and an unnamed wallet is asked for as recorded', () => {
    const error = (about: string) => Object(at(find(about).answer)('error'))
    const address = text(rpc('getnewaddress'))
    const raw = rpc('createrawtransaction', [{ txid: 'ab'.repeat(32), vout: 0 }], [{ [address]: 1 }])
    rpc('encryptwallet', 'secret')
    expect(refusal(() => rpc('signrawtransactionwithwallet', raw))).toMatchObject(error('locked: signing'))
    const named = connect(devnet, 'Bitcoin', '')
    expect(refusal(() => named('sendtoaddress', address, 0.1))).toMatchObject(error('locked: sending'))
    expect(refusal(() => rpc('walletpassphrase', 'no', 1))).toMatchObject(error('wrong passphrase'))
    rpc('createwallet', 'hl')
    expect(refusal(() => rpc('getbalance'))).toMatchObject(error('no wallet named where two are loaded'))
    rpc('unloadwallet', 'hl')
    expect(refusal(() => connect(devnet, 'Bitcoin', 'hl')('getbalance'))).toMatchObject(error('unloaded'))
    expect(rpc('getbalance')).toBeTypeOf('number')
    expect(rpc('loadwallet', 'hl')).toEqual(at(find('loading').answer)('result'))
  })
})
