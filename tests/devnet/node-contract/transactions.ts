import { describe, expect, it } from 'vitest'
import { toHex } from '../../../protocol/bytes.ts'
import { writeOpReturn } from '../../../protocol/op-return.ts'
import { transactionId } from '../../../protocol/transaction.ts'
import { at, number } from '../../kit/rpc-client.ts'
import { bytesOf } from './bytes-of.ts'
import { type Subject, UNKNOWN } from './subject.ts'

/** Reading transactions. */
export function describeTransactions(on: Subject): void {
  describe('transactions', () => {
    it('are given back as the bytes that were sent, waiting and mined', async () => {
      const sent = await on.bench.spend(await on.bench.coin(), { dataBytes: 80 })
      expect(await on.bench.call('getrawtransaction', sent.txid)).toBe(sent.hex)
      const waiting = at(await on.bench.call('getrawtransaction', sent.txid, 1))
      expect([waiting('txid'), waiting('blockhash'), waiting('confirmations')]).toEqual([
        sent.txid,
        undefined,
        undefined,
      ])
      const [hash] = await on.bench.mine()
      const mined = at(await on.bench.call('getrawtransaction', sent.txid, true))
      expect([mined('blockhash'), mined('confirmations'), mined('hex')]).toEqual([hash, 1, sent.hex])
      expect(mined('vout', 1, 'scriptPubKey', 'type')).toBe('nulldata')
      expect(mined('vout', 1, 'scriptPubKey', 'asm')).toBe(`OP_RETURN ${'ab'.repeat(80)}`)
      expect(at(await on.bench.call('getrawtransaction', sent.txid, true, hash))('in_active_chain')).toBe(true)
      expect(await on.bench.call('getrawtransaction', sent.txid, false, hash)).toBe(sent.hex)
    })

    it('hash to their txid without the witness', async () => {
      const sent = await on.bench.spend(await on.bench.coin())
      const described = at(await on.bench.call('decoderawtransaction', sent.hex))
      expect(described('txid')).toBe(sent.txid)
      expect(described('hash')).toBe(transactionId(bytesOf(sent.hex)))
      expect(described('vsize')).toBe(Math.ceil(number(described('weight')) / 4))
      expect(described('size')).toBe(sent.hex.length / 2)
    })

    it('that do not exist are refused with -5, and what is no txid with -8', async () => {
      expect(await on.bench.refusal('getrawtransaction', UNKNOWN)).toMatchObject({
        code: -5,
        message: 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.',
        status: 500,
      })
      expect(await on.bench.refusal('getrawtransaction', 'abc')).toMatchObject({
        code: -8,
        message: "parameter 1 must be of length 64 (not 3, for 'abc')",
      })
      const genesis = at(await on.bench.call('getblock', await on.bench.call('getblockhash', 0)))('tx', 0)
      expect(await on.bench.refusal('getrawtransaction', genesis)).toMatchObject({
        code: -5,
        message: 'The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved',
      })
      const [hash] = await on.bench.mine()
      expect(await on.bench.refusal('getrawtransaction', UNKNOWN, false, hash)).toMatchObject({
        code: -5,
        message: 'No such transaction found in the provided block. Use gettransaction for wallet transactions.',
      })
      expect(await on.bench.refusal('getrawtransaction', UNKNOWN, false, UNKNOWN)).toMatchObject({
        code: -5,
        message: 'Block hash not found',
      })
    })

    it('are made from inputs, addresses and data', async () => {
      const coin = await on.bench.coin()
      const address = await on.bench.address()
      const inputs = [{ txid: coin.txid, vout: coin.vout }]
      const hex = await on.bench.call('createrawtransaction', inputs, [{ data: 'abcd' }, { [address]: 0.5 }])
      const described = at(await on.bench.call('decoderawtransaction', hex))
      expect(described('vout', 0, 'scriptPubKey', 'hex')).toBe(toHex(writeOpReturn(Uint8Array.of(0xab, 0xcd))))
      expect(described('vout', 1, 'value')).toBe(0.5)
      expect(described('vin', 0, 'txid')).toBe(coin.txid)
      expect(await on.bench.refusal('createrawtransaction', inputs, [{ nowhere: 1 }])).toMatchObject({ code: -5 })
      expect(await on.bench.refusal('createrawtransaction', inputs, [{ data: 'xyz' }])).toMatchObject({ code: -8 })
      expect(await on.bench.refusal('createrawtransaction', inputs, [{ [address]: -1 }])).toMatchObject({ code: -3 })
      expect(
        await on.bench.refusal('createrawtransaction', inputs, [{ [address]: 1 }, { [address]: 1 }]),
      ).toMatchObject({ code: -8, message: `Invalid parameter, duplicated address: ${address}` })
    })
  })
}
