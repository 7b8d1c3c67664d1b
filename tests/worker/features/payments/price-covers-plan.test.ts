import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CHAINS } from '../../../../protocol/chains.ts'
import { changeScriptLike } from '../../../../protocol/transaction-size.ts'
import { price } from '../../../../worker/features/payments/price.ts'
import { txChainLimits } from '../../../../worker/features/transactions/sign/tx-chain-limits.ts'
import type { Payload, TxChainState } from '../../../../worker/features/transactions/sign/tx-chain-plan.ts'
import type { Coin } from '../../../../worker/features/transactions/sql/tx-chains.ts'
import { planTxChains } from '../../../../worker/features/writer/plan/plan-tx-chains.ts'

const SCRIPTS = [changeScriptLike(true), changeScriptLike(false), `a914${'00'.repeat(20)}87`, `5120${'00'.repeat(32)}`]
const RICH = 10n ** 15n

interface Write {
  storedSizes: number[]
  dataBytes: number
  maxTxChains: number
  feeRate: bigint
  chain: keyof typeof CHAINS
  coinScripts: string[]
}

/** The payloads of items that are cut into `dataBytes` each. */
function cut({ storedSizes, dataBytes }: Write): Payload[] {
  return storedSizes.flatMap((size, item) =>
    Array.from({ length: Math.ceil(size / dataBytes) }, (_, index) => ({
      itemId: String(item),
      index,
      length: Math.min(dataBytes, size - index * dataBytes),
    })),
  )
}

/** All fees of writing everything, plan after plan, each mined before the next. */
function feesOf(write: Write): bigint {
  const { dust, segwit } = CHAINS[write.chain]
  const changeScript = changeScriptLike(segwit)
  let coins: Coin[] = write.coinScripts.map((script, index) => {
    return { txid: index.toString(16).padStart(64, '0'), vout: 0, value: RICH, script }
  })
  let txChains: TxChainState[] = []
  let queue = cut(write)
  let fees = 0n
  while (queue.length > 0) {
    const plan = planTxChains({
      txChains,
      coins,
      queue: queue.slice(0, 200),
      remaining: { transactions: queue.length },
      ceilings: new Map(),
      rates: new Map(),
      maxTxChains: write.maxTxChains,
      limits: txChainLimits({}),
      feeRate: write.feeRate,
      dust,
      changeScript,
      nextTxChainId: txChains.length + 1,
    })
    expect(plan.transactions).not.toEqual([])
    queue = queue.slice(plan.transactions.length)
    fees += plan.transactions.reduce((sum, { fee }) => sum + fee, 0n)
    const spent = new Set(plan.transactions.flatMap(({ spends }) => spends.map(({ txid }) => txid)))
    coins = coins.filter(({ txid }) => !spent.has(txid))
    const tips = new Map(txChains.map((txChain) => [txChain.id, txChain]))
    for (const { txChain, seq, change, script, splits } of plan.transactions) {
      const state = { script, unconfirmed: 0, vbytes: 0, ready: true, moves: true, most: 0n, dearest: 0n }
      const tip = (id: number, value: bigint) => ({ txid: `${id}-${seq}`, vout: 0, value, script })
      tips.set(txChain, { ...state, id: txChain, seq: seq + 1, tip: tip(txChain, change) })
      for (const split of splits)
        tips.set(split.txChain, { ...state, id: split.txChain, seq: 0, tip: tip(split.txChain, split.value) })
    }
    txChains = [...tips.values()]
  }
  return fees
}

const aWrite: fc.Arbitrary<Write> = fc.record({
  storedSizes: fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 4 }),
  dataBytes: fc.constantFrom(75, 80, 220, 255, 256, 5_000, 65_535, 65_536, 102_480),
  maxTxChains: fc.integer({ min: 1, max: 12 }),
  feeRate: fc.bigInt(1n, 1_000_000n),
  chain: fc.constantFrom('Nativecoin' as const, 'Dogecoin' as const, 'Bitcoin' as const),
  coinScripts: fc.array(fc.constantFrom(...SCRIPTS), { minLength: 1, maxLength: 14 }),
})

it('covers every fee of the plan at the same fee rate, whatever is written with whatever coins', () => {
  fc.assert(
    fc.property(aWrite, (write) => {
      const items = write.storedSizes.map((storedSize) => {
        return { storedSize, transactions: Math.ceil(storedSize / write.dataBytes) }
      })
      const { feeRate, maxTxChains: txChains, chain } = write
      const { networkFee } = price(items, { feeRate, pricePerKib: 0n, txChains, facts: CHAINS[chain] })
      expect(networkFee).toBeGreaterThanOrEqual(feesOf(write))
    }),
    { numRuns: 200 },
  )
})
