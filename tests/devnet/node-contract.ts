import { createHash } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { Transaction as BtcTransaction, p2pkh, p2wpkh, SigHash } from '@scure/btc-signer'
import { beforeAll, describe, expect, it } from 'vitest'
import { formatAmount } from '../../protocol/amount.ts'
import { fromHex, toHex } from '../../protocol/bytes.ts'
import { writeOpReturn } from '../../protocol/op-return.ts'
import { readTransaction, reverseHex, transactionId, txidBytes } from '../../protocol/transaction.ts'
import { NodeBench } from '../kit/node-bench.ts'
import { at, call, list, type NodeAddress, number, post, text } from '../kit/rpc-client.ts'

/** What releases of the same code base word differently. */
export interface Wording {
  conflict: RegExp
  alreadyInChain: RegExp
  wrongType: RegExp
  badScript: string
}

function doubleHash(bytes: Uint8Array): Uint8Array {
  const once = createHash('sha256').update(bytes).digest()
  return createHash('sha256').update(once).digest()
}

function bytesOf(hex: unknown): Uint8Array {
  return fromHex(text(hex)) ?? new Uint8Array(0)
}

const PRIVATE_KEY = new Uint8Array(32).fill(7)
const PUBLIC_KEY = secp256k1.getPublicKey(PRIVATE_KEY, true)
const HASH_TYPES = [
  SigHash.ALL,
  SigHash.NONE,
  SigHash.SINGLE,
  SigHash.ALL_ANYONECANPAY,
  SigHash.NONE_ANYONECANPAY,
  SigHash.SINGLE_ANYONECANPAY,
]
const UNKNOWN = 'f'.repeat(64)

/**
 * What a node of Bitcoin Core's code answers, as the project relies on it. The embedded nodes and a real daemon are
 * held to the same sentences, so that the embedded ones can't drift from a real one.
 */
export function describeNode(name: string, open: () => Promise<NodeAddress>, wording: Wording): void {
  describe(name, () => {
    let node: NodeAddress
    let bench: NodeBench

    beforeAll(async () => {
      node = await open()
      bench = new NodeBench(node)
      await bench.coin()
    }, 120_000)

    describe('over HTTP', () => {
      it('wants the user and the password', async () => {
        const body = '{"method":"getblockcount","params":[],"id":1}'
        const without = await fetch(node.url, { method: 'POST', body })
        const wrong = await post(node, body, `Basic ${btoa(`${node.user}:wrong`)}`)
        expect([without.status, wrong.status]).toEqual([401, 401])
        expect(without.headers.get('WWW-Authenticate')).toBe('Basic realm="jsonrpc"')
      })

      it('gives result, error and the id back', async () => {
        for (const id of ['text', 7, null]) {
          const answer = await post(node, JSON.stringify({ method: 'getblockcount', params: [], id }))
          expect(answer.status).toBe(200)
          expect(answer.headers.get('Content-Type')).toContain('application/json')
          expect(JSON.parse(answer.text)).toEqual({ result: expect.any(Number), error: null, id })
        }
      })

      it('takes a call without params', async () => {
        expect((await post(node, '{"method":"getblockcount","id":1}')).status).toBe(200)
      })

      it('answers an unknown method with 404, other errors with 500', async () => {
        const unknown = await post(node, '{"method":"nosuch","params":[],"id":1}')
        expect(unknown.status).toBe(404)
        expect(JSON.parse(unknown.text)).toEqual({
          result: null,
          error: { code: -32601, message: 'Method not found' },
          id: 1,
        })
        const failed = await post(node, `{"method":"getblock","params":["${UNKNOWN}"],"id":1}`)
        expect(failed.status).toBe(500)
        expect(JSON.parse(failed.text).error).toEqual({ code: -5, message: 'Block not found' })
      })

      it('answers what is no JSON with a parse error, and what is no request with an invalid one', async () => {
        const broken = await post(node, '{"method":')
        expect(broken.status).toBe(500)
        expect(JSON.parse(broken.text).error.code).toBe(-32700)
        const noMethod = await post(node, '{"params":[],"id":1}')
        expect(noMethod.status).toBe(400)
        expect(JSON.parse(noMethod.text).error).toEqual({ code: -32600, message: 'Missing method' })
      })

      it('answers a batch in order with 200, errors inside', async () => {
        const batch = [
          { method: 'getblockcount', params: [], id: 'a' },
          { method: 'getblock', params: [UNKNOWN], id: 'b' },
          { method: 'nosuch', params: [], id: 'c' },
        ]
        const { status, text: body } = await post(node, JSON.stringify(batch))
        expect(status).toBe(200)
        const replies = list(JSON.parse(body))
        expect(replies.map((reply) => at(reply)('id'))).toEqual(['a', 'b', 'c'])
        expect(replies.map((reply) => at(reply)('error', 'code'))).toEqual([undefined, -5, -32601])
        expect((await post(node, '[]')).text.trim()).toBe('[]')
      })

      it('answers POST only', async () => {
        const response = await fetch(node.url, {
          headers: { Authorization: `Basic ${btoa(`${node.user}:${node.password}`)}` },
        })
        expect(response.status).toBe(405)
      })

      it('takes arguments by name and refuses names it does not know', async () => {
        const hash = await bench.call('getblockhash', 1)
        expect(await call(node, 'getblockhash', { height: 1 })).toBe(hash)
        await expect(call(node, 'getblockhash', { depth: 1 })).rejects.toMatchObject({
          code: -8,
          message: 'Unknown named parameter depth',
        })
      })

      it('refuses arguments of the wrong type, and too few or too many', async () => {
        expect((await bench.refusal('getblockhash', 'one')).message).toMatch(wording.wrongType)
        expect((await bench.refusal('getblockhash')).code).toBe(-1)
        expect((await bench.refusal('getblockhash', 1, 2)).code).toBe(-1)
      })

      it('finds wallets by URL and refuses unknown ones with -18', async () => {
        const known = { ...node, url: `${node.url.replace(/\/$/, '')}/wallet/` }
        expect(at(await call(known, 'getwalletinfo'))('walletname')).toBe('')
        const unknown = { ...node, url: `${node.url.replace(/\/$/, '')}/wallet/nosuch` }
        await expect(call(unknown, 'getbalance')).rejects.toMatchObject({
          code: -18,
          message: 'Requested wallet does not exist or is not loaded',
          status: 500,
        })
      })

      it('writes amounts with eight decimals', async () => {
        const answer = await post(node, '{"method":"getbalance","params":[],"id":1}')
        expect(answer.text).toMatch(/"result":\d+\.\d{8},/)
      })
    })

    describe('the chain', () => {
      it('has headers that hash to their blocks and link back', async () => {
        const [hash] = await bench.mine()
        const raw = bytesOf(await bench.call('getblockheader', hash, false))
        expect(raw.length).toBe(80)
        expect(reverseHex(doubleHash(raw))).toBe(hash)
        const header = at(await bench.call('getblockheader', hash))
        expect(reverseHex(raw.subarray(4, 36))).toBe(header('previousblockhash'))
        expect(reverseHex(raw.subarray(36, 68))).toBe(header('merkleroot'))
        expect(header('confirmations')).toBe(1)
        expect(header('nextblockhash')).toBeUndefined()
        const previous = at(await bench.call('getblockheader', header('previousblockhash')))
        expect(previous('nextblockhash')).toBe(hash)
        expect(previous('height')).toBe(number(header('height')) - 1)
        expect(number(header('mediantime'))).toBeLessThanOrEqual(number(header('time')))
      })

      it('has merkle roots over the transactions of each block', async () => {
        for (let i = 0; i < 4; i++) await bench.spend(await bench.coin())
        const [hash] = await bench.mine()
        const block = at(await bench.call('getblock', hash))
        let level = list(block('tx')).map((txid) => txidBytes(text(txid)))
        expect(level.length).toBe(5)
        while (level.length > 1) {
          const next: typeof level = []
          for (let i = 0; i < level.length; i += 2) {
            const left = level[i] ?? new Uint8Array(32)
            next.push(new Uint8Array(doubleHash(Buffer.concat([left, level[i + 1] ?? left]))))
          }
          level = next
        }
        expect(reverseHex(level[0] ?? new Uint8Array(0))).toBe(block('merkleroot'))
      })

      it('gives whole blocks as bytes, with txids, and with transactions', async () => {
        const sent = await bench.spend(await bench.coin())
        const [hash] = await bench.mine()
        const raw = bytesOf(await bench.call('getblock', hash, 0))
        expect(raw[80]).toBe(2)
        const { end } = readTransaction(raw, 81)
        expect(toHex(raw.subarray(end))).toContain(sent.hex)
        const described = at(await bench.call('getblock', hash, 1))
        expect(list(described('tx'))[1]).toBe(sent.txid)
        expect(described('nTx')).toBe(2)
        expect(described('size')).toBe(raw.length)
        const full = at(await bench.call('getblock', hash, 2))
        expect(full('tx', 1, 'txid')).toBe(sent.txid)
        expect(full('tx', 1, 'hex')).toBe(sent.hex)
        expect(full('tx', 0, 'vin', 0, 'coinbase')).toEqual(expect.any(String))
      })

      it('names its tip the same everywhere', async () => {
        const [hash] = await bench.mine()
        const info = at(await bench.call('getblockchaininfo'))
        const height = await bench.call('getblockcount')
        expect(await bench.call('getbestblockhash')).toBe(hash)
        expect(await bench.call('getblockhash', height)).toBe(hash)
        expect([info('bestblockhash'), info('blocks'), info('chain'), info('initialblockdownload')]).toEqual([
          hash,
          height,
          'regtest',
          false,
        ])
      })

      it('refuses heights and hashes it has not', async () => {
        expect(await bench.refusal('getblockhash', 10_000_000)).toMatchObject({
          code: -8,
          message: 'Block height out of range',
        })
        expect(await bench.refusal('getblockheader', UNKNOWN)).toMatchObject({ code: -5, message: 'Block not found' })
        expect(await bench.refusal('getblock', 'abc')).toMatchObject({
          code: -8,
          message: "blockhash must be of length 64 (not 3, for 'abc')",
        })
        expect(await bench.refusal('getblock', 'z'.repeat(64))).toMatchObject({
          code: -8,
          message: `blockhash must be hexadecimal string (not '${'z'.repeat(64)}')`,
        })
      })

      it('knows outputs until they are spent', async () => {
        const coin = await bench.coin()
        const output = at(await bench.call('gettxout', coin.txid, coin.vout))
        expect(output('value')).toBe(Number(formatAmount(coin.value)))
        expect(output('scriptPubKey', 'hex')).toBe(toHex(coin.script))
        expect(output('confirmations')).toBeGreaterThan(0)
        const next = await bench.spend(coin)
        expect(await bench.call('gettxout', coin.txid, coin.vout)).toBeNull()
        expect(at(await bench.call('gettxout', coin.txid, coin.vout, false))('coinbase')).toBe(false)
        expect(at(await bench.call('gettxout', next.txid, 0))('confirmations')).toBe(0)
        expect(await bench.call('gettxout', next.txid, 0, false)).toBeNull()
        await bench.mine()
        expect(await bench.call('gettxout', coin.txid, coin.vout, false)).toBeNull()
        expect(await bench.call('gettxout', UNKNOWN, 0)).toBeNull()
      })
    })

    describe('transactions', () => {
      it('are given back as the bytes that were sent, waiting and mined', async () => {
        const sent = await bench.spend(await bench.coin(), { dataBytes: 80 })
        expect(await bench.call('getrawtransaction', sent.txid)).toBe(sent.hex)
        const waiting = at(await bench.call('getrawtransaction', sent.txid, 1))
        expect([waiting('txid'), waiting('blockhash'), waiting('confirmations')]).toEqual([
          sent.txid,
          undefined,
          undefined,
        ])
        const [hash] = await bench.mine()
        const mined = at(await bench.call('getrawtransaction', sent.txid, true))
        expect([mined('blockhash'), mined('confirmations'), mined('hex')]).toEqual([hash, 1, sent.hex])
        expect(mined('vout', 1, 'scriptPubKey', 'type')).toBe('nulldata')
        expect(mined('vout', 1, 'scriptPubKey', 'asm')).toBe(`OP_RETURN ${'ab'.repeat(80)}`)
        expect(at(await bench.call('getrawtransaction', sent.txid, true, hash))('in_active_chain')).toBe(true)
        expect(await bench.call('getrawtransaction', sent.txid, false, hash)).toBe(sent.hex)
      })

      it('hash to their txid without the witness', async () => {
        const sent = await bench.spend(await bench.coin())
        const described = at(await bench.call('decoderawtransaction', sent.hex))
        expect(described('txid')).toBe(sent.txid)
        expect(described('hash')).toBe(transactionId(bytesOf(sent.hex)))
        expect(described('vsize')).toBe(Math.ceil(number(described('weight')) / 4))
        expect(described('size')).toBe(sent.hex.length / 2)
      })

      it('that do not exist are refused with -5, and what is no txid with -8', async () => {
        expect(await bench.refusal('getrawtransaction', UNKNOWN)).toMatchObject({
          code: -5,
          message: 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.',
          status: 500,
        })
        expect(await bench.refusal('getrawtransaction', 'abc')).toMatchObject({
          code: -8,
          message: "parameter 1 must be of length 64 (not 3, for 'abc')",
        })
        const genesis = at(await bench.call('getblock', await bench.call('getblockhash', 0)))('tx', 0)
        expect(await bench.refusal('getrawtransaction', genesis)).toMatchObject({
          code: -5,
          message: 'The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved',
        })
        const [hash] = await bench.mine()
        expect(await bench.refusal('getrawtransaction', UNKNOWN, false, hash)).toMatchObject({
          code: -5,
          message: 'No such transaction found in the provided block. Use gettransaction for wallet transactions.',
        })
        expect(await bench.refusal('getrawtransaction', UNKNOWN, false, UNKNOWN)).toMatchObject({
          code: -5,
          message: 'Block hash not found',
        })
      })

      it('are made from inputs, addresses and data', async () => {
        const coin = await bench.coin()
        const address = await bench.address()
        const inputs = [{ txid: coin.txid, vout: coin.vout }]
        const hex = await bench.call('createrawtransaction', inputs, [{ data: 'abcd' }, { [address]: 0.5 }])
        const described = at(await bench.call('decoderawtransaction', hex))
        expect(described('vout', 0, 'scriptPubKey', 'hex')).toBe(toHex(writeOpReturn(Uint8Array.of(0xab, 0xcd))))
        expect(described('vout', 1, 'value')).toBe(0.5)
        expect(described('vin', 0, 'txid')).toBe(coin.txid)
        expect(await bench.refusal('createrawtransaction', inputs, [{ nowhere: 1 }])).toMatchObject({ code: -5 })
        expect(await bench.refusal('createrawtransaction', inputs, [{ data: 'xyz' }])).toMatchObject({ code: -8 })
        expect(await bench.refusal('createrawtransaction', inputs, [{ [address]: -1 }])).toMatchObject({ code: -3 })
        expect(await bench.refusal('createrawtransaction', inputs, [{ [address]: 1 }, { [address]: 1 }])).toMatchObject(
          { code: -8, message: `Invalid parameter, duplicated address: ${address}` },
        )
      })
    })

    describe('sending', () => {
      it('answers the txid, and again the same while it waits', async () => {
        const sent = await bench.spend(await bench.coin())
        expect(await bench.send(sent.hex)).toBe(sent.txid)
        expect(list(await bench.call('getrawmempool'))).toContain(sent.txid)
        await bench.mine()
        expect(list(await bench.call('getrawmempool'))).not.toContain(sent.txid)
      })

      it('refuses with -27 what a block holds and somebody can still spend', async () => {
        const sent = await bench.spend(await bench.coin())
        await bench.mine()
        const refusal = await bench.refusal('sendrawtransaction', sent.hex)
        expect(refusal).toMatchObject({ code: -27, status: 500 })
        expect(refusal.message).toMatch(wording.alreadyInChain)
      })

      it('can only say -25 of what a block holds once all its outputs are spent', async () => {
        const first = await bench.spend(await bench.coin())
        await bench.spend(first)
        await bench.mine()
        expect(await bench.refusal('sendrawtransaction', first.hex)).toMatchObject({
          code: -25,
          message: 'bad-txns-inputs-missingorspent',
        })
      })

      it('refuses with -25 what spends nothing it knows', async () => {
        const coin = await bench.coin()
        const signed = await bench.sign([coin], [{ value: coin.value - 20_000n, script: coin.script }])
        const foreign = signed.replace(toHex(txidBytes(coin.txid)), UNKNOWN)
        expect(await bench.refusal('sendrawtransaction', foreign)).toMatchObject({
          code: -25,
          message: 'bad-txns-inputs-missingorspent',
        })
      })

      it('refuses with -22 what is no transaction', async () => {
        for (const hex of ['', 'zz', '00', 'deadbeef', '0'.repeat(200)]) {
          expect(await bench.refusal('sendrawtransaction', hex)).toMatchObject({
            code: -22,
            message: 'TX decode failed. Make sure the tx has at least one input.',
          })
        }
      })

      it('refuses a second spend of an output that a waiting transaction spends', async () => {
        const coin = await bench.coin()
        await bench.spend(coin)
        const other = await bench.sign([coin], [{ value: coin.value - 20_001n, script: coin.script }])
        const refusal = await bench.refusal('sendrawtransaction', other)
        expect(refusal.code).toBe(-26)
        expect(refusal.message).toMatch(wording.conflict)
      })

      it('refuses signatures that are missing or not of this transaction', async () => {
        const coin = await bench.coin()
        const outputs = [{ value: coin.value - 20_000n, script: coin.script }]
        const unsigned = await bench.refusal('sendrawtransaction', bench.unsigned([coin], outputs))
        expect(unsigned.code).toBe(-26)
        expect(unsigned.message).toBe(`${wording.badScript} (Witness program hash mismatch)`)
        const signed = await bench.sign([coin], outputs)
        const value = Buffer.alloc(8)
        value.writeBigUInt64LE(coin.value - 20_000n)
        const less = Buffer.alloc(8)
        less.writeBigUInt64LE(coin.value - 30_000n)
        const altered = signed.replace(value.toString('hex'), less.toString('hex'))
        expect(altered).not.toBe(signed)
        expect(await bench.refusal('sendrawtransaction', altered)).toMatchObject({
          code: -26,
          message: `${wording.badScript} (Signature must be zero for failed CHECK(MULTI)SIG operation)`,
        })
      })

      it.each([
        ['P2WPKH', p2wpkh(PUBLIC_KEY)],
        ['P2PKH', p2pkh(PUBLIC_KEY)],
      ])('checks the signatures of keys that are not its own: %s, whatever part they sign', async (_, payment) => {
        const coin = await bench.coin()
        const value = 1_000_000n
        const paid = HASH_TYPES.map(() => ({ value, script: payment.script }))
        const total = value * BigInt(paid.length)
        const change = { value: coin.value - total - 50_000n, script: coin.script }
        const txid = await bench.send(await bench.sign([coin], [...paid, change]))
        const spend = new BtcTransaction({ allowLegacyWitnessUtxo: true })
        for (const [index, sighashType] of HASH_TYPES.entries()) {
          spend.addInput({ txid, index, witnessUtxo: { script: payment.script, amount: value }, sighashType })
          spend.addOutput({ script: coin.script, amount: value - 10_000n })
        }
        spend.sign(PRIVATE_KEY, [...HASH_TYPES])
        spend.finalize()
        const last = spend.getInput(HASH_TYPES.length - 1)
        // Well inside r: another first byte could make the encoding itself wrong, which is refused in other words.
        const signature = toHex(last.finalScriptWitness?.[0] ?? last.finalScriptSig ?? new Uint8Array(0)).slice(16, 64)
        expect(signature).toHaveLength(48)
        const forged = spend.hex.replace(signature, `${'1'.repeat(47)}2`)
        expect(await bench.refusal('sendrawtransaction', forged)).toMatchObject({
          code: -26,
          message: expect.stringContaining('Signature must be zero for failed CHECK(MULTI)SIG operation'),
        })
        expect(await bench.send(spend.hex)).toBe(spend.id)
        const wallet = at(await bench.call('signrawtransactionwithwallet', toHex(spend.unsignedTx)))
        expect(wallet('complete')).toBe(false)
        await bench.mine()
      })

      it.each<[string, number, RegExp, Shape]>([
        ['a fee below the relay fee', -26, /^min relay fee not met, \d+ < \d+$/, { fee: 10n }],
        ['more data than the node relays', -26, /^scriptpubkey$/, { dataBytes: 81 }],
        ['no output', -26, /^bad-txns-vout-empty$/, { outputs: [] }],
        ['an output of next to nothing', -26, /^dust$/, { extra: { value: 1n, script: 'own' } }],
        ['an unknown kind of output', -26, /^scriptpubkey$/, { extra: { value: 100_000n, script: '51' } }],
        [
          'more spent than there is',
          -26,
          /^bad-txns-in-belowout, value in \(\d+\.\d+\) < value out \(\d+\.\d+\)$/,
          { fee: -1_000n },
        ],
        ['a lock time to come', -26, /^non-final$/, { lockTime: 1_000_000, sequence: 0xfffffffe }],
        [
          'a fee beyond reason',
          -25,
          /^Fee exceeds maximum configured by user \(e\.g\. -maxtxfee, maxfeerate\)$/,
          { fee: 10_000_000n },
        ],
      ])('refuses %s', async (_, code, message, shape) => {
        const hex = await shaped(bench, shape)
        const refusal = await bench.refusal('sendrawtransaction', hex)
        expect(refusal.message).toMatch(message)
        expect(refusal.code).toBe(code)
      })

      it('refuses two data outputs', async () => {
        const coin = await bench.coin()
        const data = { value: 0n, script: writeOpReturn(Uint8Array.of(1, 2, 3)) }
        const hex = await bench.sign([coin], [data, data, { value: coin.value - 20_000n, script: coin.script }])
        expect(await bench.refusal('sendrawtransaction', hex)).toMatchObject({ code: -26, message: 'multi-op-return' })
      })

      it('refuses a transaction heavier than relayed', async () => {
        const coin = await bench.coin()
        const outputs = Array.from({ length: 3_300 }, () => ({ value: 6_000n, script: coin.script }))
        const hex = await bench.sign([coin], outputs)
        expect(await bench.refusal('sendrawtransaction', hex)).toMatchObject({ code: -26, message: 'tx-size' })
      })

      it('takes a high fee when told to', async () => {
        const hex = await shaped(bench, { fee: 10_000_000n })
        expect(text(await bench.call('sendrawtransaction', hex, 0))).toHaveLength(64)
        await bench.mine()
      })

      it('refuses to spend the reward of a fresh block', async () => {
        const [hash] = await bench.mine()
        const block = at(await bench.call('getblock', hash, 2))
        const coinbase = {
          txid: text(block('tx', 0, 'txid')),
          vout: 0,
          value: BigInt(Math.round(number(block('tx', 0, 'vout', 0, 'value')) * 1e8)),
          script: bytesOf(block('tx', 0, 'vout', 0, 'scriptPubKey', 'hex')),
        }
        const hex = await bench.sign([coinbase], [{ value: coinbase.value - 20_000n, script: coinbase.script }])
        expect(await bench.refusal('sendrawtransaction', hex)).toMatchObject({
          code: -26,
          message: 'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 1',
        })
      })

      it('takes 25 unconfirmed transactions in a chain and no more', async () => {
        let coin = await bench.coin()
        for (let i = 0; i < 25; i++) coin = await bench.spend(coin)
        const next = await bench.sign([coin], [{ value: coin.value - 20_000n, script: coin.script }])
        expect(await bench.refusal('sendrawtransaction', next)).toMatchObject({
          code: -26,
          message: 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]',
        })
        const entry = at(await bench.call('getmempoolentry', coin.txid))
        expect([entry('ancestorcount'), entry('descendantcount')]).toEqual([25, 1])
        await bench.mine()
        expect(await bench.send(next)).toHaveLength(64)
        await bench.mine()
      })

      it('takes 25 children of an unconfirmed transaction and no more', async () => {
        const coin = await bench.coin()
        const value = coin.value / 30n
        const outputs = Array.from({ length: 27 }, () => ({ value, script: coin.script }))
        const txid = await bench.send(await bench.sign([coin], outputs))
        const child = (vout: number) =>
          bench.sign([{ txid, vout, value, script: coin.script }], [{ value: value - 20_000n, script: coin.script }])
        for (let vout = 0; vout < 25; vout++) await bench.send(await child(vout))
        expect(await bench.refusal('sendrawtransaction', await child(25))).toMatchObject({
          code: -26,
          message: `too-long-mempool-chain, too many descendants for tx ${txid} [limit: 25]`,
        })
        await bench.mine()
      })

      it('can be tried beforehand', async () => {
        const coin = await bench.coin()
        const good = await bench.sign([coin], [{ value: coin.value - 20_000n, script: coin.script }])
        const accepted = at(await bench.call('testmempoolaccept', [good]))
        expect(accepted(0, 'allowed')).toBe(true)
        expect(accepted(0, 'fees', 'base')).toBe(0.0002)
        expect(list(await bench.call('getrawmempool'))).not.toContain(accepted(0, 'txid'))
        const refused = at(await bench.call('testmempoolaccept', [await shaped(bench, { dataBytes: 81 })]))
        expect([refused(0, 'allowed'), refused(0, 'reject-reason')]).toEqual([false, 'scriptpubkey'])
        const missing = at(await bench.call('testmempoolaccept', [good.replace(toHex(txidBytes(coin.txid)), UNKNOWN)]))
        expect(missing(0, 'reject-reason')).toBe('missing-inputs')
      })
    })

    describe('the mempool', () => {
      it('describes what waits', async () => {
        const parent = await bench.spend(await bench.coin())
        const child = await bench.spend(parent)
        const entry = at(await bench.call('getmempoolentry', parent.txid))
        expect([entry('descendantcount'), entry('ancestorcount'), entry('fees', 'base')]).toEqual([2, 1, 0.0002])
        expect(list(entry('spentby'))).toEqual([child.txid])
        expect(list(at(await bench.call('getmempoolentry', child.txid))('depends'))).toEqual([parent.txid])
        expect(at(await bench.call('getmempoolinfo'))('size')).toBeGreaterThanOrEqual(2)
        await bench.mine()
        expect(await bench.refusal('getmempoolentry', parent.txid)).toMatchObject({
          code: -5,
          message: 'Transaction not in mempool',
        })
      })
    })

    describe('the wallet', () => {
      it('signs the same bytes every time', async () => {
        const coin = await bench.coin()
        const outputs = [{ value: coin.value - 20_000n, script: coin.script }]
        expect(await bench.sign([coin], outputs)).toBe(await bench.sign([coin], outputs))
      })

      it('signs a chain before any of it is sent, when told what it spends', async () => {
        const coin = await bench.coin()
        const change = { value: coin.value - 20_000n, script: coin.script }
        const first = await bench.sign([coin], [change])
        const txid = text(at(await bench.call('decoderawtransaction', first))('txid'))
        const next = bench.unsigned([{ txid, vout: 0, ...change }], [{ ...change, value: change.value - 20_000n }])
        const alone = at(await bench.call('signrawtransactionwithwallet', next))
        expect(alone('complete')).toBe(false)
        expect(alone('errors', 0, 'error')).toBe('Input not found or already spent')
        const spent = { txid, vout: 0, scriptPubKey: toHex(coin.script), amount: formatAmount(change.value) }
        const told = at(await bench.call('signrawtransactionwithwallet', next, [spent]))
        expect(told('complete')).toBe(true)
        await bench.send(first)
        await bench.send(text(told('hex')))
        await bench.mine()
      })

      it('gives addresses that are its own, each once', async () => {
        const addresses = [await bench.call('getnewaddress'), await bench.call('getnewaddress', 'label')]
        expect(new Set(addresses).size).toBe(2)
        const info = at(await bench.call('getaddressinfo', addresses[1]))
        expect([info('ismine'), info('iswitness'), info('ischange')]).toEqual([true, true, false])
        expect(at(await bench.call('validateaddress', addresses[0]))('isvalid')).toBe(true)
        expect(at(await bench.call('validateaddress', 'nowhere'))('isvalid')).toBe(false)
        expect((await bench.refusal('getaddressinfo', 'nowhere')).code).toBe(-5)
      })

      it('lists what it can spend, and not what is locked', async () => {
        const address = await bench.call('getnewaddress')
        const coin = await bench.coin()
        const hex = await bench.call(
          'createrawtransaction',
          [{ txid: coin.txid, vout: coin.vout }],
          [{ [text(address)]: formatAmount(coin.value - 20_000n) }],
        )
        const txid = await bench.send(text(at(await bench.call('signrawtransactionwithwallet', hex))('hex')))
        expect(await bench.call('listunspent', 1, 9_999_999, [address])).toEqual([])
        expect(list(await bench.call('listunspent', 0, 9_999_999, [address]))).toHaveLength(1)
        await bench.mine()
        const unspent = at(await bench.call('listunspent', 1, 9_999_999, [address]))
        expect([unspent(0, 'txid'), unspent(0, 'vout'), unspent(0, 'confirmations')]).toEqual([txid, 0, 1])
        expect(unspent(0, 'spendable')).toBe(true)
        const outputs = [{ txid, vout: 0 }]
        expect(await bench.call('lockunspent', false, outputs)).toBe(true)
        expect(list(await bench.call('listlockunspent'))).toContainEqual({ txid, vout: 0 })
        expect(await bench.call('listunspent', 1, 9_999_999, [address])).toEqual([])
        expect(await bench.refusal('lockunspent', false, outputs)).toMatchObject({
          code: -8,
          message: 'Invalid parameter, output already locked',
        })
        expect(await bench.call('lockunspent', true, outputs)).toBe(true)
        expect(await bench.refusal('lockunspent', true, outputs)).toMatchObject({
          code: -8,
          message: 'Invalid parameter, expected locked output',
        })
        expect(await bench.refusal('lockunspent', false, [{ txid: UNKNOWN, vout: 0 }])).toMatchObject({
          code: -8,
          message: 'Invalid parameter, unknown transaction',
        })
      })

      it('tells of its transactions since a block, and again of those a reorganisation took back', async () => {
        const address = text(await bench.call('getnewaddress'))
        const [before] = await bench.mine()
        const txid = text(await bench.call('sendtoaddress', address, 0.25))
        const waiting = list(at(await bench.call('listsinceblock', before))('transactions'))
        const received = (entries: unknown[]) =>
          entries.map(at).find((get) => get('txid') === txid && get('category') === 'receive')
        expect(received(waiting)?.('confirmations')).toBe(0)
        expect(received(waiting)?.('address')).toBe(address)
        expect(received(waiting)?.('amount')).toBe(0.25)
        const [mined] = await bench.mine()
        const since = at(await bench.call('listsinceblock', before))
        expect(since('lastblock')).toBe(mined)
        expect(received(list(since('transactions')))?.('blockhash')).toBe(mined)
        expect(received(list(at(await bench.call('listsinceblock', mined))('transactions')))).toBeUndefined()
        expect(at(await bench.call('listsinceblock', '', 2))('lastblock')).toBe(before)
        await bench.call('invalidateblock', mined)
        const reorganised = at(await bench.call('listsinceblock', mined))
        expect(received(list(reorganised('removed')))?.('txid')).toBe(txid)
        expect(received(list(reorganised('transactions')))?.('confirmations')).toBe(0)
        expect(await bench.refusal('listsinceblock', UNKNOWN)).toMatchObject({ code: -5, message: 'Block not found' })
        await bench.mineElsewhere()
      })

      it('tells of one transaction, and of none it does not know', async () => {
        const address = text(await bench.call('getnewaddress'))
        const txid = text(await bench.call('sendtoaddress', address, 0.125))
        const own = at(await bench.call('gettransaction', txid))
        expect([own('txid'), own('confirmations')]).toEqual([txid, 0])
        const receive = list(own('details'))
          .map(at)
          .find((get) => get('category') === 'receive')
        expect([receive?.('address'), receive?.('amount')]).toEqual([address, 0.125])
        expect(await bench.call('getrawtransaction', txid)).toBe(own('hex'))
        const [hash] = await bench.mine()
        const mined = at(await bench.call('gettransaction', txid))
        expect([mined('confirmations'), mined('blockhash')]).toEqual([1, hash])
        expect(await bench.refusal('gettransaction', UNKNOWN)).toMatchObject({
          code: -5,
          message: 'Invalid or non-wallet transaction id',
        })
        expect(await bench.call('getreceivedbyaddress', address)).toBe(0.125)
      })

      it('refuses to pay what is no address, no amount, or too much', async () => {
        const address = await bench.address()
        expect((await bench.refusal('sendtoaddress', 'nowhere', 1)).code).toBe(-5)
        expect(await bench.refusal('sendtoaddress', address, 0)).toMatchObject({
          code: -6,
          message: 'Transaction amount too small',
        })
        expect((await bench.refusal('sendtoaddress', address, -1)).code).toBe(-3)
        expect((await bench.refusal('sendtoaddress', address, '0.123456789')).code).toBe(-3)
        expect(await bench.refusal('sendtoaddress', address, 20_000_000)).toMatchObject({
          code: -6,
          message: 'Insufficient funds',
        })
      })
    })

    describe('a reorganisation', () => {
      it('puts transactions back to wait, and the block again in its place', async () => {
        const sent = await bench.spend(await bench.coin())
        const [hash] = await bench.mine()
        await bench.call('invalidateblock', hash)
        expect(list(await bench.call('getrawmempool'))).toContain(sent.txid)
        expect(at(await bench.call('getblockheader', hash))('confirmations')).toBe(-1)
        expect(at(await bench.call('gettransaction', sent.txid))('confirmations')).toBe(0)
        await bench.call('reconsiderblock', hash)
        expect(await bench.call('getbestblockhash')).toBe(hash)
        expect(at(await bench.call('gettransaction', sent.txid))('confirmations')).toBe(1)
        expect(list(await bench.call('getrawmempool'))).not.toContain(sent.txid)
      })

      it('keeps a chain longer than the limit', async () => {
        let coin = await bench.coin()
        const txids: string[] = []
        const blocks: string[] = []
        for (let i = 0; i < 30; i++) {
          coin = await bench.spend(coin)
          txids.push(coin.txid)
          if (i % 15 === 14) blocks.push(...(await bench.mine()))
        }
        await bench.call('invalidateblock', blocks[0])
        expect(list(await bench.call('getrawmempool'))).toEqual(expect.arrayContaining(txids))
        await bench.mine()
        expect(list(await bench.call('getrawmempool'))).not.toEqual(expect.arrayContaining(txids))
        for (const txid of txids) expect(at(await bench.call('getrawtransaction', txid, 1))('confirmations')).toBe(1)
      })

      it('leads to the longer chain when two compete', async () => {
        const [old] = await bench.mine()
        await bench.call('invalidateblock', old)
        const [first, second] = await bench.mineElsewhere(2)
        await bench.call('reconsiderblock', old)
        expect(await bench.call('getbestblockhash')).toBe(second)
        expect(at(await bench.call('getblockheader', old))('confirmations')).toBe(-1)
        expect(at(await bench.call('getblockheader', first))('confirmations')).toBe(2)
        const tips = list(await bench.call('getchaintips')).map((tip) => at(tip)('hash'))
        expect(tips).toEqual(expect.arrayContaining([old, second]))
        expect(await bench.refusal('invalidateblock', UNKNOWN)).toMatchObject({ code: -5, message: 'Block not found' })
      })
    })
  })
}

interface Shape {
  fee?: bigint
  dataBytes?: number
  outputs?: never[]
  extra?: { value: bigint; script: string }
  lockTime?: number
  sequence?: number
}

/** A signed transaction that is in order but for what the shape says. */
async function shaped(
  bench: NodeBench,
  { fee = 20_000n, dataBytes, outputs, extra, lockTime, sequence }: Shape,
): Promise<string> {
  const coin = await bench.coin()
  const own = coin.script
  const list = outputs ?? [
    { value: coin.value - fee - (extra?.value ?? 0n), script: own },
    ...(dataBytes ? [{ value: 0n, script: writeOpReturn(new Uint8Array(dataBytes)) }] : []),
    ...(extra ? [{ value: extra.value, script: extra.script === 'own' ? own : bytesOf(extra.script) }] : []),
  ]
  return bench.sign([coin], list, lockTime, sequence)
}
