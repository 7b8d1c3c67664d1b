import { describe, expect, it } from 'vitest'
import { at, list } from '../../kit/rpc-client.ts'
import type { Subject } from './subject.ts'

/** What waits. */
export function describeMempool(on: Subject): void {
  describe('the mempool', () => {
    it('describes what waits', async () => {
      const parent = await on.bench.spend(await on.bench.coin())
      const child = await on.bench.spend(parent)
      const entry = at(await on.bench.call('getmempoolentry', parent.txid))
      expect([entry('descendantcount'), entry('ancestorcount'), entry('fees', 'base')]).toEqual([2, 1, 0.0002])
      expect(list(entry('spentby'))).toEqual([child.txid])
      expect(list(at(await on.bench.call('getmempoolentry', child.txid))('depends'))).toEqual([parent.txid])
      expect(at(await on.bench.call('getmempoolinfo'))('size')).toBeGreaterThanOrEqual(2)
      await on.bench.mine()
      expect(await on.bench.refusal('getmempoolentry', parent.txid)).toMatchObject({
        code: -5,
        message: 'Transaction not in mempool',
      })
    })
  })
}
