import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { formatAmount } from '../../../protocol/amount.ts'
import { toHex } from '../../../protocol/bytes.ts'
import { readTransaction, reverseHex, txidBytes } from '../../../protocol/transaction.ts'
import { at, list, number, text } from '../../kit/rpc-client.ts'
import { bytesOf } from './bytes-of.ts'
import { type Subject, UNKNOWN } from './subject.ts'

function doubleHash(bytes: Uint8Array): Uint8Array {
  const once = createHash('sha256').update(bytes).digest()
  return createHash('sha256').update(once).digest()
}

/** Blocks and headers. */
export function describeChain(on: Subject): void {
  describe('the chain', () => {
    it('has headers that hash to their blocks and link back', async () => {
      const [hash] = await on.bench.mine()
      const raw = bytesOf(await on.bench.call('getblockheader', hash, false))
      expect(raw.length).toBe(80)
      expect(reverseHex(doubleHash(raw))).toBe(hash)
      const header = at(await on.bench.call('getblockheader', hash))
      expect(reverseHex(raw.subarray(4, 36))).toBe(header('previousblockhash'))
      expect(reverseHex(raw.subarray(36, 68))).toBe(header('merkleroot'))
      expect(header('confirmations')).toBe(1)
      expect(header('nextblockhash')).toBeUndefined()
      const previous = at(await on.bench.call('getblockheader', header('previousblockhash')))
      expect(previous('nextblockhash')).toBe(hash)
      expect(previous('height')).toBe(number(header('height')) - 1)
      expect(number(header('mediantime'))).toBeLessThanOrEqual(number(header('time')))
    })

    it('has merkle roots over the transactions of each block', async () => {
      for (let i = 0; i < 4; i++) await on.bench.spend(await on.bench.coin())
      const [hash] = await on.bench.mine()
      const block = at(await on.bench.call('getblock', hash))
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
      const sent = await on.bench.spend(await on.bench.coin())
      const [hash] = await on.bench.mine()
      const raw = bytesOf(await on.bench.call('getblock', hash, 0))
      expect(raw[80]).toBe(2)
      const { end } = readTransaction(raw, 81)
      expect(toHex(raw.subarray(end))).toContain(sent.hex)
      const described = at(await on.bench.call('getblock', hash, 1))
      expect(list(described('tx'))[1]).toBe(sent.txid)
      expect(described('nTx')).toBe(2)
      expect(described('size')).toBe(raw.length)
      const full = at(await on.bench.call('getblock', hash, 2))
      expect(full('tx', 1, 'txid')).toBe(sent.txid)
      expect(full('tx', 1, 'hex')).toBe(sent.hex)
      expect(full('tx', 0, 'vin', 0, 'coinbase')).toEqual(expect.any(String))
    })

    it('names its tip the same everywhere', async () => {
      const [hash] = await on.bench.mine()
      const info = at(await on.bench.call('getblockchaininfo'))
      const height = await on.bench.call('getblockcount')
      expect(await on.bench.call('getbestblockhash')).toBe(hash)
      expect(await on.bench.call('getblockhash', height)).toBe(hash)
      expect([info('bestblockhash'), info('blocks'), info('chain'), info('initialblockdownload')]).toEqual([
        hash,
        height,
        'regtest',
        false,
      ])
    })

    it('refuses heights and hashes it has not', async () => {
      expect(await on.bench.refusal('getblockhash', 10_000_000)).toMatchObject({
        code: -8,
        message: 'Block height out of range',
      })
      expect(await on.bench.refusal('getblockheader', UNKNOWN)).toMatchObject({ code: -5, message: 'Block not found' })
      expect(await on.bench.refusal('getblock', 'abc')).toMatchObject({
        code: -8,
        message: "blockhash must be of length 64 (not 3, for 'abc')",
      })
      expect(await on.bench.refusal('getblock', 'z'.repeat(64))).toMatchObject({
        code: -8,
        message: `blockhash must be hexadecimal string (not '${'z'.repeat(64)}')`,
      })
    })

    it('knows outputs until they are spent', async () => {
      const coin = await on.bench.coin()
      const output = at(await on.bench.call('gettxout', coin.txid, coin.vout))
      expect(output('value')).toBe(Number(formatAmount(coin.value)))
      expect(output('scriptPubKey', 'hex')).toBe(toHex(coin.script))
      expect(output('confirmations')).toBeGreaterThan(0)
      const next = await on.bench.spend(coin)
      expect(await on.bench.call('gettxout', coin.txid, coin.vout)).toBeNull()
      expect(at(await on.bench.call('gettxout', coin.txid, coin.vout, false))('coinbase')).toBe(false)
      expect(at(await on.bench.call('gettxout', next.txid, 0))('confirmations')).toBe(0)
      expect(await on.bench.call('gettxout', next.txid, 0, false)).toBeNull()
      await on.bench.mine()
      expect(await on.bench.call('gettxout', coin.txid, coin.vout, false)).toBeNull()
      expect(await on.bench.call('gettxout', UNKNOWN, 0)).toBeNull()
    })
  })
}
