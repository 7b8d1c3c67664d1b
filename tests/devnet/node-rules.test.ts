import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isUnspendable } from '../../devnet/chain.ts'
import { createDevnet } from '../../devnet/create-devnet.ts'
import type { Node } from '../../devnet/node.ts'
import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import { connect, signed, unspent } from '../kit/call-devnet.ts'
import { text } from '../kit/rpc-client.ts'

/** The unspent outputs as they follow from the blocks alone. */
function replayCoins({ chain }: Node): Map<string, bigint> {
  const coins = new Map<string, bigint>()
  for (const { transactions } of chain.active) {
    for (const { txid, outputs, outpoints, coinbase } of transactions) {
      if (!coinbase) for (const name of outpoints) expect(coins.delete(name)).toBe(true)
      outputs.forEach(({ value, script }, vout) => {
        if (!isUnspendable(script)) coins.set(`${txid}:${vout}`, value)
      })
    }
  }
  return coins
}

/** What must hold of a node at every moment. */
function checkNode(node: Node): void {
  const coins = replayCoins(node)
  expect(new Map([...node.chain.coins].map(([name, { value }]) => [name, value]))).toEqual(coins)
  let bytes = 0
  const seen = new Set<string>()
  for (const entry of node.mempool.entries.values()) {
    bytes += entry.transaction.vsize
    const ancestors = node.mempool.ancestorsOf([entry])
    const descendants = node.mempool.descendantsOf([entry])
    const fees = (set: typeof ancestors) => [...set].reduce((sum, { fee }) => sum + fee, 0n)
    const sizes = (set: typeof ancestors) => [...set].reduce((sum, { transaction }) => sum + transaction.vsize, 0)
    expect([entry.ancestorCount, entry.ancestorBytes, entry.ancestorFees]).toEqual([
      ancestors.size,
      sizes(ancestors),
      fees(ancestors),
    ])
    expect([entry.descendantCount, entry.descendantBytes, entry.descendantFees]).toEqual([
      descendants.size,
      sizes(descendants),
      fees(descendants),
    ])
    for (const name of entry.transaction.outpoints) {
      expect(seen.has(name)).toBe(false)
      seen.add(name)
      expect(node.mempool.spenders.get(name)).toBe(entry)
      const [txid = ''] = name.split(':')
      expect(coins.has(name) || node.mempool.entries.has(txid)).toBe(true)
    }
  }
  expect(node.mempool.bytes).toBe(bytes)
  expect(node.mempool.spenders.size).toBe(seen.size)
  for (const block of node.chain.active) expect(node.chain.invalid.has(block)).toBe(false)
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('spend' as const),
      pick: fc.nat(),
      fee: fc.integer({ min: 200, max: 90_000 }),
      parts: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('pay' as const) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('invalidate' as const), depth: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('reconsider' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('evict' as const), pick: fc.nat() }) },
)

describe.each<Blockchain>([...BLOCKCHAINS])('the embedded %s node, whatever is asked of it', (blockchain) => {
  it('keeps outputs, mempool and blocks in agreement', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const devnet = createDevnet({
          chains: [blockchain],
          settings: {
            [blockchain]: {
              premine: { faucet: { count: 3, value: 10n ** 11n }, service: { count: 3, value: 10n ** 11n } },
            },
          },
        })
        const rpc = connect(devnet, blockchain)
        const node = devnet.node(blockchain)
        const scale = blockchain === 'Dogecoin' ? 1_000 : 1
        const invalidated: string[] = []
        const addresses = Array.from({ length: 4 }, () => text(rpc('getnewaddress')))
        for (const one of steps) {
          const waiting = [...node.mempool.entries.keys()]
          try {
            if (one.act === 'spend') {
              const coins = unspent(rpc, 0)
              const coin = coins[one.pick % coins.length]
              if (!coin) continue
              const each = Math.floor((coin.amount * 1e8 - one.fee * scale) / one.parts) / 1e8
              const outputs = Object.fromEntries(
                addresses.slice(0, one.parts).map((address) => [address, each.toFixed(8)]),
              )
              rpc(
                'sendrawtransaction',
                signed(rpc, [coin], outputs, blockchain === 'Dogecoin' ? 'signrawtransaction' : undefined),
              )
            }
            if (one.act === 'mine') rpc('generatetoaddress', one.count, addresses[0])
            if (one.act === 'pay') rpc('sendtoaddress', addresses[1], 1)
            if (one.act === 'invalidate') {
              const block = node.chain.active[node.chain.height - one.depth]
              if (block && block.height > 1) {
                rpc('invalidateblock', block.hash)
                invalidated.push(block.hash)
              }
            }
            if (one.act === 'reconsider' && invalidated.length > 0)
              rpc('reconsiderblock', invalidated[one.pick % invalidated.length])
            if (one.act === 'evict' && waiting.length > 0) node.evict([waiting[one.pick % waiting.length] ?? ''])
          } catch (error) {
            // A refusal is fine; it must have changed nothing, which is checked below.
            if (!(error instanceof Error && error.name === 'NodeError')) throw error
          }
          checkNode(node)
        }
      }),
      { numRuns: 40 },
    )
  })
})
