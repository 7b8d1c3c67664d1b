import { describe, expect, it } from 'vitest'
import { at, list } from '../../kit/rpc-client.ts'
import { type Subject, UNKNOWN } from './subject.ts'

/** Another chain becomes the best one. */
export function describeReorganisation(on: Subject): void {
  describe('a reorganisation', () => {
    it('puts transactions back to wait, and the block again in its place', async () => {
      const sent = await on.bench.spend(await on.bench.coin())
      const [hash] = await on.bench.mine()
      await on.bench.call('invalidateblock', hash)
      expect(list(await on.bench.call('getrawmempool'))).toContain(sent.txid)
      expect(at(await on.bench.call('getblockheader', hash))('confirmations')).toBe(-1)
      expect(at(await on.bench.call('gettransaction', sent.txid))('confirmations')).toBe(0)
      await on.bench.call('reconsiderblock', hash)
      expect(await on.bench.call('getbestblockhash')).toBe(hash)
      expect(at(await on.bench.call('gettransaction', sent.txid))('confirmations')).toBe(1)
      expect(list(await on.bench.call('getrawmempool'))).not.toContain(sent.txid)
    })

    it('keeps a chain longer than the limit', async () => {
      let coin = await on.bench.coin()
      const txids: string[] = []
      const blocks: string[] = []
      for (let i = 0; i < 30; i++) {
        coin = await on.bench.spend(coin)
        txids.push(coin.txid)
        if (i % 15 === 14) blocks.push(...(await on.bench.mine()))
      }
      await on.bench.call('invalidateblock', blocks[0])
      expect(list(await on.bench.call('getrawmempool'))).toEqual(expect.arrayContaining(txids))
      await on.bench.mine()
      expect(list(await on.bench.call('getrawmempool'))).not.toEqual(expect.arrayContaining(txids))
      for (const txid of txids) expect(at(await on.bench.call('getrawtransaction', txid, 1))('confirmations')).toBe(1)
    })

    it('leads to the longer chain when two compete', async () => {
      const [old] = await on.bench.mine()
      await on.bench.call('invalidateblock', old)
      const [first, second] = await on.bench.mineElsewhere(2)
      await on.bench.call('reconsiderblock', old)
      expect(await on.bench.call('getbestblockhash')).toBe(second)
      expect(at(await on.bench.call('getblockheader', old))('confirmations')).toBe(-1)
      expect(at(await on.bench.call('getblockheader', first))('confirmations')).toBe(2)
      const tips = list(await on.bench.call('getchaintips')).map((tip) => at(tip)('hash'))
      expect(tips).toEqual(expect.arrayContaining([old, second]))
      expect(await on.bench.refusal('invalidateblock', UNKNOWN)).toMatchObject({ code: -5, message: 'Block not found' })
    })
  })
}
