import { secp256k1 } from '@noble/curves/secp256k1.js'
import { Transaction as BtcTransaction, p2pkh, p2wpkh, SigHash } from '@scure/btc-signer'
import { describe, expect, it } from 'vitest'
import { toHex } from '../../../protocol/bytes.ts'
import { writeOpReturn } from '../../../protocol/op-return.ts'
import { txidBytes } from '../../../protocol/transaction.ts'
import { at, list, number, text } from '../../kit/rpc-client.ts'
import { bytesOf } from './bytes-of.ts'
import { type Shape, shapedTransaction } from './shaped-transaction.ts'
import { type Subject, UNKNOWN } from './subject.ts'

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

/** Which transactions are taken, and how others are refused. */
export function describeSending(on: Subject): void {
  describe('sending', () => {
    it('answers the txid, and again the same while it waits', async () => {
      const sent = await on.bench.spend(await on.bench.coin())
      expect(await on.bench.send(sent.hex)).toBe(sent.txid)
      expect(list(await on.bench.call('getrawmempool'))).toContain(sent.txid)
      await on.bench.mine()
      expect(list(await on.bench.call('getrawmempool'))).not.toContain(sent.txid)
    })

    it('refuses with -27 what a block holds and somebody can still spend', async () => {
      const sent = await on.bench.spend(await on.bench.coin())
      await on.bench.mine()
      const refusal = await on.bench.refusal('sendrawtransaction', sent.hex)
      expect(refusal).toMatchObject({ code: -27, status: 500 })
      expect(refusal.message).toMatch(on.wording.alreadyInChain)
    })

    it('can only say -25 of what a block holds once all its outputs are spent', async () => {
      const first = await on.bench.spend(await on.bench.coin())
      await on.bench.spend(first)
      await on.bench.mine()
      expect(await on.bench.refusal('sendrawtransaction', first.hex)).toMatchObject({
        code: -25,
        message: 'bad-txns-inputs-missingorspent',
      })
    })

    it('refuses with -25 what spends nothing it knows', async () => {
      const coin = await on.bench.coin()
      const signed = await on.bench.sign([coin], [{ value: coin.value - 20_000n, script: coin.script }])
      const foreign = signed.replace(toHex(txidBytes(coin.txid)), UNKNOWN)
      expect(await on.bench.refusal('sendrawtransaction', foreign)).toMatchObject({
        code: -25,
        message: 'bad-txns-inputs-missingorspent',
      })
    })

    it('refuses with -22 what is no transaction', async () => {
      for (const hex of ['', 'zz', '00', 'deadbeef', '0'.repeat(200)]) {
        expect(await on.bench.refusal('sendrawtransaction', hex)).toMatchObject({
          code: -22,
          message: 'TX decode failed. Make sure the tx has at least one input.',
        })
      }
    })

    it('refuses a second spend of an output that a waiting transaction spends', async () => {
      const coin = await on.bench.coin()
      await on.bench.spend(coin)
      const other = await on.bench.sign([coin], [{ value: coin.value - 20_001n, script: coin.script }])
      const refusal = await on.bench.refusal('sendrawtransaction', other)
      expect(refusal.code).toBe(-26)
      expect(refusal.message).toMatch(on.wording.conflict)
    })

    it('refuses signatures that are missing or not of this transaction', async () => {
      const coin = await on.bench.coin()
      const outputs = [{ value: coin.value - 20_000n, script: coin.script }]
      const unsigned = await on.bench.refusal('sendrawtransaction', on.bench.unsigned([coin], outputs))
      expect(unsigned.code).toBe(-26)
      expect(unsigned.message).toBe(`${on.wording.badScript} (Witness program hash mismatch)`)
      const signed = await on.bench.sign([coin], outputs)
      const value = Buffer.alloc(8)
      value.writeBigUInt64LE(coin.value - 20_000n)
      const less = Buffer.alloc(8)
      less.writeBigUInt64LE(coin.value - 30_000n)
      const altered = signed.replace(value.toString('hex'), less.toString('hex'))
      expect(altered).not.toBe(signed)
      expect(await on.bench.refusal('sendrawtransaction', altered)).toMatchObject({
        code: -26,
        message: `${on.wording.badScript} (Signature must be zero for failed CHECK(MULTI)SIG operation)`,
      })
    })

    it.each([
      ['P2WPKH', p2wpkh(PUBLIC_KEY)],
      ['P2PKH', p2pkh(PUBLIC_KEY)],
    ])('checks the signatures of keys that are not its own: %s, whatever part they sign', async (_, payment) => {
      const coin = await on.bench.coin()
      const value = 1_000_000n
      const paid = HASH_TYPES.map(() => ({ value, script: payment.script }))
      const total = value * BigInt(paid.length)
      const change = { value: coin.value - total - 50_000n, script: coin.script }
      const txid = await on.bench.send(await on.bench.sign([coin], [...paid, change]))
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
      expect(await on.bench.refusal('sendrawtransaction', forged)).toMatchObject({
        code: -26,
        message: expect.stringContaining('Signature must be zero for failed CHECK(MULTI)SIG operation'),
      })
      expect(await on.bench.send(spend.hex)).toBe(spend.id)
      const wallet = at(await on.bench.call('signrawtransactionwithwallet', toHex(spend.unsignedTx)))
      expect(wallet('complete')).toBe(false)
      await on.bench.mine()
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
      const hex = await shapedTransaction(on.bench, shape)
      const refusal = await on.bench.refusal('sendrawtransaction', hex)
      expect(refusal.message).toMatch(message)
      expect(refusal.code).toBe(code)
    })

    it('refuses two data outputs', async () => {
      const coin = await on.bench.coin()
      const data = { value: 0n, script: writeOpReturn(Uint8Array.of(1, 2, 3)) }
      const hex = await on.bench.sign([coin], [data, data, { value: coin.value - 20_000n, script: coin.script }])
      expect(await on.bench.refusal('sendrawtransaction', hex)).toMatchObject({ code: -26, message: 'multi-op-return' })
    })

    it('refuses a transaction heavier than relayed', async () => {
      const coin = await on.bench.coin()
      const outputs = Array.from({ length: 3_300 }, () => ({ value: 6_000n, script: coin.script }))
      const hex = await on.bench.sign([coin], outputs)
      expect(await on.bench.refusal('sendrawtransaction', hex)).toMatchObject({ code: -26, message: 'tx-size' })
    })

    it('takes a high fee when told to', async () => {
      const hex = await shapedTransaction(on.bench, { fee: 10_000_000n })
      expect(text(await on.bench.call('sendrawtransaction', hex, 0))).toHaveLength(64)
      await on.bench.mine()
    })

    it('refuses to spend the reward of a fresh block', async () => {
      const [hash] = await on.bench.mine()
      const block = at(await on.bench.call('getblock', hash, 2))
      const coinbase = {
        txid: text(block('tx', 0, 'txid')),
        vout: 0,
        value: BigInt(Math.round(number(block('tx', 0, 'vout', 0, 'value')) * 1e8)),
        script: bytesOf(block('tx', 0, 'vout', 0, 'scriptPubKey', 'hex')),
      }
      const hex = await on.bench.sign([coinbase], [{ value: coinbase.value - 20_000n, script: coinbase.script }])
      expect(await on.bench.refusal('sendrawtransaction', hex)).toMatchObject({
        code: -26,
        message: 'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 1',
      })
    })

    it('takes 25 unconfirmed transactions in a chain and no more', async () => {
      let coin = await on.bench.coin()
      for (let i = 0; i < 25; i++) coin = await on.bench.spend(coin)
      const next = await on.bench.sign([coin], [{ value: coin.value - 20_000n, script: coin.script }])
      expect(await on.bench.refusal('sendrawtransaction', next)).toMatchObject({
        code: -26,
        message: 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]',
      })
      const entry = at(await on.bench.call('getmempoolentry', coin.txid))
      expect([entry('ancestorcount'), entry('descendantcount')]).toEqual([25, 1])
      await on.bench.mine()
      expect(await on.bench.send(next)).toHaveLength(64)
      await on.bench.mine()
    })

    it('takes 25 children of an unconfirmed transaction and no more', async () => {
      const coin = await on.bench.coin()
      const value = coin.value / 30n
      const outputs = Array.from({ length: 27 }, () => ({ value, script: coin.script }))
      const txid = await on.bench.send(await on.bench.sign([coin], outputs))
      const child = (vout: number) =>
        on.bench.sign([{ txid, vout, value, script: coin.script }], [{ value: value - 20_000n, script: coin.script }])
      for (let vout = 0; vout < 25; vout++) await on.bench.send(await child(vout))
      expect(await on.bench.refusal('sendrawtransaction', await child(25))).toMatchObject({
        code: -26,
        message: `too-long-mempool-chain, too many descendants for tx ${txid} [limit: 25]`,
      })
      await on.bench.mine()
    })

    it('can be tried beforehand', async () => {
      const coin = await on.bench.coin()
      const good = await on.bench.sign([coin], [{ value: coin.value - 20_000n, script: coin.script }])
      const accepted = at(await on.bench.call('testmempoolaccept', [good]))
      expect(accepted(0, 'allowed')).toBe(true)
      expect(accepted(0, 'fees', 'base')).toBe(0.0002)
      expect(list(await on.bench.call('getrawmempool'))).not.toContain(accepted(0, 'txid'))
      const refused = at(
        await on.bench.call('testmempoolaccept', [await shapedTransaction(on.bench, { dataBytes: 81 })]),
      )
      expect([refused(0, 'allowed'), refused(0, 'reject-reason')]).toEqual([false, 'scriptpubkey'])
      const missing = at(await on.bench.call('testmempoolaccept', [good.replace(toHex(txidBytes(coin.txid)), UNKNOWN)]))
      expect(missing(0, 'reject-reason')).toBe('missing-inputs')
    })
  })
}
