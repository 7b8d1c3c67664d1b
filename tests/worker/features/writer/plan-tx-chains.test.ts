import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  TX_CHAIN_LENGTH,
  TX_CHAIN_VBYTES,
  txChainLimits,
  txChainsWorth,
} from '../../../../worker/features/transactions/sign/tx-chain-limits.ts'
import { lacksTxChains, type PlanInput, planTxChains } from '../../../../worker/features/writer/plan/plan-tx-chains.ts'

const DUST = 546n
const P2WPKH = `0014${'ab'.repeat(20)}`
const P2PKH = `76a914${'ab'.repeat(20)}88ac`

function coin(id: number, value: bigint, script = P2WPKH) {
  return { txid: id.toString(16).padStart(64, '0'), vout: 0, value, script }
}

function input(changes: Partial<PlanInput>): PlanInput {
  const queue = changes.queue ?? payloads(10)
  return {
    txChains: [],
    coins: [],
    queue,
    remaining: { transactions: queue.length },
    ceilings: new Map(),
    rates: new Map(),
    maxTxChains: 8,
    limits: txChainLimits({}),
    feeRate: 1000n,
    dust: DUST,
    changeScript: P2WPKH,
    nextTxChainId: 1,
    ...changes,
  }
}

const payloads = (count: number, length = 80, itemId = 'item') =>
  Array.from({ length: count }, (_, index) => ({ itemId, index, length }))

/** Of a tx chain in which all that waits is mined in time. */
const MOVES = { moves: true, most: 0n, dearest: 0n }

/** A tx chain on which nothing waits. */
const openTxChain = (tip: PlanInput['coins'][number], changes: Partial<PlanInput['txChains'][number]> = {}) => ({
  ...{ id: 4, tip, script: P2WPKH, seq: 9, unconfirmed: 0, vbytes: 0, ready: true },
  ...MOVES,
  ...changes,
})

describe('planning tx chains', () => {
  it('puts a small item on one coin, one transaction behind the other', () => {
    const plan = planTxChains(input({ coins: [coin(1, 100_000n), coin(2, 100_000n)], queue: payloads(3) }))
    expect(plan.opened).toHaveLength(1)
    expect(plan.transactions.map(({ txChain, seq }) => [txChain, seq])).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
    ])
    expect(plan.transactions.every(({ splits }) => splits.length === 0)).toBe(true)
  })

  it('takes a coin for each tx chain that a large item is worth, and fills every one', () => {
    const coins = Array.from({ length: 20 }, (_, index) => coin(index + 1, 1_000_000n))
    const plan = planTxChains(input({ coins, queue: payloads(192), remaining: { transactions: 12_500 } }))
    expect(plan.opened).toHaveLength(8)
    expect(plan.transactions).toHaveLength(8 * TX_CHAIN_LENGTH)
  })

  it('splits its only coin into tx chains, which wait for a block', () => {
    const plan = planTxChains(
      input({ coins: [coin(1, 100_000_000n)], queue: payloads(192), remaining: { transactions: 12_500 } }),
    )
    const [first, ...rest] = plan.transactions
    expect(first?.splits.map(({ txChain }) => txChain)).toEqual([2, 3, 4, 5, 6, 7, 8])
    expect(rest.every(({ txChain, splits }) => txChain === 1 && splits.length === 0)).toBe(true)
    expect(plan.transactions).toHaveLength(TX_CHAIN_LENGTH)
  })

  it('gathers small coins when no single one pays for a transaction', () => {
    const coins = Array.from({ length: 5 }, (_, index) => coin(index + 1, 300n))
    const plan = planTxChains(input({ coins, queue: payloads(1) }))
    expect(plan.transactions[0]?.spends).toHaveLength(5)
    const many = Array.from({ length: 120 }, (_, index) => coin(index + 1, 300n))
    expect(planTxChains(input({ coins: many, queue: payloads(1) })).transactions[0]?.spends).toHaveLength(100)
  })

  it('closes a tx chain that can pay for nothing more', () => {
    const txChain = openTxChain(coin(1, 600n))
    expect(planTxChains(input({ txChains: [txChain], coins: [coin(2, 100_000n)] })).closed).toEqual([4])
  })

  it('goes on with a tx chain that has money for some of what is written, and opens another one for the rest', () => {
    const txChain = openTxChain(coin(1, 1_000n))
    const queue = [...payloads(1, 2_000, 'large'), ...payloads(1, 80, 'small')]
    const places = (coins: PlanInput['coins']) => {
      const plan = planTxChains(input({ txChains: [txChain], coins, queue }))
      const carried = plan.transactions.map(({ txChain: id, payload }) => [payload?.itemId, id])
      return { carried: Object.fromEntries(carried), closed: plan.closed, waiting: Object.fromEntries(plan.waiting) }
    }
    expect(places([])).toEqual({ carried: { small: 4 }, closed: [], waiting: { large: 'coins' } })
    expect(places([coin(2, 100_000n)])).toEqual({ carried: { large: 1, small: 4 }, closed: [], waiting: {} })
    // Small ones together, though something moves in the other one.
    const gathered = [coin(2, 1_500n), coin(3, 1_600n)]
    expect(places(gathered)).toEqual({ carried: { large: 1, small: 4 }, closed: [], waiting: {} })
    expect(lacksTxChains(input({ txChains: [txChain], queue }), 1)).toBe(true)
    expect(lacksTxChains(input({ txChains: [txChain], queue: payloads(1) }), 1)).toBe(false)
  })

  it('lacks a tx chain where the only one can pay for nothing more, at the rate that the item needs', () => {
    const txChain = openTxChain(coin(1, 600n))
    const richer = { ...txChain, tip: coin(1, 100_000n) }
    expect(lacksTxChains(input({ txChains: [txChain] }), 1)).toBe(true)
    const asked = input({ txChains: [richer] })
    expect(lacksTxChains(asked, 1)).toBe(false)
    const rates = new Map(asked.queue.map(({ itemId }) => [itemId, 10n ** 9n]))
    expect(lacksTxChains({ ...asked, rates }, 1)).toBe(true)
  })

  it('lacks a tx chain where a single cheap transaction waits in the only one', () => {
    const waiting = { unconfirmed: 1, vbytes: 200, most: 200n, dearest: 1_000n }
    const asked = (txChain: PlanInput['txChains'][number]) =>
      input({ txChains: [txChain], queue: payloads(1), ceilings: new Map([['item', 50_000n]]) })
    const tip = coin(1, 1_000_000n)
    expect(lacksTxChains(asked(openTxChain(tip)), 1)).toBe(false)
    expect(lacksTxChains(asked(openTxChain(tip, waiting)), 1)).toBe(true)
    expect(lacksTxChains(asked(openTxChain(tip, { ...waiting, most: 10_000n })), 1)).toBe(false)
  })

  it('keeps what waits in a tx chain below half a block and below the node’s limits of a cluster', () => {
    const coins = [coin(1, 10n ** 12n)]
    const large = input({ coins, queue: payloads(24, 102_480), maxTxChains: 1 })
    const vbytes = (plan: ReturnType<typeof planTxChains>) =>
      plan.transactions.reduce((sum, { vsize }) => sum + vsize, 0)
    expect(planTxChains(large).transactions).toHaveLength(4)
    expect(vbytes(planTxChains(large))).toBeLessThanOrEqual(TX_CHAIN_VBYTES)
    const cluster = txChainLimits({ count: 4, vbytes: 250_000 })
    expect(planTxChains({ ...large, limits: cluster }).transactions).toHaveLength(2)
    expect(planTxChains({ ...input({ coins, maxTxChains: 1 }), limits: cluster }).transactions).toHaveLength(3)
    const txChain = openTxChain(coin(1, 10n ** 12n), { unconfirmed: 2, vbytes: 400_000 })
    expect(
      planTxChains(input({ txChains: [txChain], queue: payloads(1, 102_480), maxTxChains: 1 })).transactions,
    ).toEqual([])
  })

  it('fills a tx chain as far as the node lets unconfirmed transactions hang together, less one', () => {
    const one = input({ coins: [coin(1, 10n ** 9n)], queue: payloads(200), maxTxChains: 1 })
    const length = (limits: ReturnType<typeof txChainLimits>) => planTxChains({ ...one, limits }).transactions.length
    expect(length(txChainLimits({}))).toBe(TX_CHAIN_LENGTH)
    expect(length(txChainLimits({ count: 64, vbytes: 101_000 }))).toBe(63)
    expect(length(txChainLimits({ count: 1_000, vbytes: 1_000_000 }))).toBe(99)
  })

  it('names limits that leave room for one that pays for all, and a tenth of the size', () => {
    expect(txChainLimits({})).toEqual({ count: 24, vbytes: 450_000 })
    expect(txChainLimits({ count: 1, vbytes: 101_000 })).toEqual({ count: 1, vbytes: 90_900 })
    expect([2, 3, 99, 100, 101].map((count) => txChainLimits({ count }).count)).toEqual([1, 2, 98, 99, 99])
  })

  it('thinks a tx chain worth having for each run of transactions begun, one at least, and never more than may be', () => {
    expect([0, 1, 24, 25, 48, 49, 10_000].map((transactions) => txChainsWorth(transactions, 4))).toEqual([
      ...[1, 1, 1, 2, 2, 3, 4],
    ])
    expect(txChainsWorth(64, 4, 63)).toBe(2)
  })

  it('asks for what a transaction weighs: 202 vbytes with 80 bytes, 282 from a coin of a key hash, 31 more for each coin split off', () => {
    const size = (changes: Partial<PlanInput>) =>
      planTxChains(input({ queue: payloads(1), ...changes })).transactions[0]
    expect(size({ coins: [coin(1, 100_000n)] })).toMatchObject({ vsize: 202, fee: 202n, change: 99_798n })
    expect(size({ coins: [coin(1, 100_000n, P2PKH)] })).toMatchObject({ vsize: 282, fee: 282n, change: 99_718n })
    const split = size({ coins: [coin(1, 100_000_000n)], remaining: { transactions: 12_500 } })
    // Each tx chain gets its share of all, a tenth more, and a run: 202 for each of 1,719 + 24, and what is relayed.
    expect(split?.splits.map(({ value }) => value)).toEqual(new Array(7).fill(202n * 1_743n + DUST))
    expect(split).toMatchObject({ vsize: 419, fee: 419n, change: 100_000_000n - 419n - 7n * 352_632n })
  })

  it('splits evenly what there is, and not below a run of 24 transactions', () => {
    // One of 326 vbytes has four tx chains at once; what it keeps itself is a part, too.
    const run = 24n * 202n + DUST
    const plan = (value: bigint) =>
      planTxChains(input({ coins: [coin(1, value)], remaining: { transactions: 96 }, maxTxChains: 4 })).transactions[0]
    const enough = 4n * run + 295n + DUST
    expect(plan(enough)?.splits.map(({ value }) => value)).toEqual([run, run, run])
    expect(plan(enough - 1n)?.splits).toEqual([])
  })

  it('splits off the tx chain that has most, when its turn comes, also where a single one is missing', () => {
    const txChain = (id: number, value: bigint) =>
      openTxChain(coin(id, value), { id, seq: 1, unconfirmed: 1, vbytes: 202 })
    const txChains = [txChain(1, 100_000n), txChain(2, 10_000_000n), txChain(3, 100_000n)]
    const splits = (maxTxChains: number) =>
      planTxChains(
        input({ txChains, queue: payloads(3), remaining: { transactions: 12_500 }, maxTxChains, nextTxChainId: 4 }),
      ).transactions.map((one) => one.splits.map((split) => split.txChain))
    expect([3, 4, 5].map(splits)).toEqual([
      [[], [], []],
      [[], [4], []],
      [[], [4, 5], []],
    ])
  })

  it('opens a tx chain with a single coin that is worth a run, exactly, and gathers where none is', () => {
    const run = 10n * 202n + DUST
    const spends = (value: bigint) =>
      planTxChains(input({ coins: [coin(1, 1_000n), coin(2, value)] })).transactions[0]?.spends.length
    expect([spends(run), spends(run - 1n)]).toEqual([1, 2])
    // A single small one is better than nothing; one that costs as much to spend as it is worth is none.
    expect(planTxChains(input({ coins: [coin(1, 202n + DUST)] })).transactions).toHaveLength(1)
    expect(
      planTxChains(input({ coins: [coin(1, 1_000n), coin(2, 80n), coin(3, 79n)] })).transactions[0]?.spends,
    ).toEqual([...[coin(1, 1_000n), coin(2, 80n)]])
  })

  it('goes on with a tx chain as long as what is left is relayed, and closes it then', () => {
    const plan = (value: bigint) => planTxChains(input({ txChains: [openTxChain(coin(1, value))], queue: payloads(1) }))
    expect(plan(202n + DUST)).toMatchObject({ transactions: [{ txChain: 4, seq: 9, change: DUST }], closed: [] })
    expect(plan(201n + DUST)).toMatchObject({ transactions: [], closed: [4] })
  })

  it('fills a tx chain to its virtual bytes exactly; one transaction alone has room whatever it weighs', () => {
    const count = (vbytes: number) =>
      planTxChains(input({ coins: [coin(1, 100_000n)], maxTxChains: 1, limits: { count: 24, vbytes } })).transactions
        .length
    expect([404, 403, 100].map(count)).toEqual([2, 1, 1])
  })

  it('takes tx chains in turn', () => {
    const coins = [coin(1, 100_000n), coin(2, 100_000n)]
    const plan = planTxChains(input({ coins, queue: payloads(4), remaining: { transactions: 48 } }))
    expect(plan.transactions.map(({ txChain, seq }) => [txChain, seq])).toEqual([
      ...[
        [1, 0],
        [2, 0],
        [1, 1],
        [2, 1],
      ],
    ])
  })

  describe('where nothing moves in a tx chain', () => {
    const stuck = (id: number) => {
      return openTxChain(coin(100 + id, 100_000n), { id, seq: 5, unconfirmed: 5, vbytes: 1_010, moves: false })
    }
    const coins = Array.from({ length: 9 }, (_, index) => coin(index + 1, 100_000n))

    it('opens another one beside it, and adds nothing to it', () => {
      const plan = planTxChains(input({ txChains: [stuck(1)], coins, nextTxChainId: 2 }))
      expect(new Set(plan.transactions.map(({ txChain }) => txChain))).toEqual(new Set([2]))
      expect(plan.opened).toHaveLength(1)
    })

    it('opens as many as are filled at a time, up to four times as many in all, and says what waits then', () => {
      const open = (count: number) =>
        planTxChains(
          input({
            txChains: Array.from({ length: count }, (_, index) => stuck(index + 1)),
            ...{ coins, remaining: { transactions: 1_000 }, maxTxChains: 2, nextTxChainId: 20 },
          }),
        )
      expect([0, 1, 6, 7, 8].map((count) => open(count).opened.length)).toEqual([2, 2, 2, 1, 0])
      expect(open(7).waiting).toEqual(new Map())
      expect(open(8)).toMatchObject({ transactions: [], waiting: new Map([['item', 'tx chains']]) })
    })
  })

  describe('with items of different prices', () => {
    const txChain = (id: number, ceiling: bigint) => {
      const waiting = { seq: 5, unconfirmed: 1, vbytes: 1_000 }
      return openTxChain(coin(100 + id, 100_000n), { id, ...waiting, most: ceiling, dearest: ceiling })
    }
    const txChainsOf = (txChains: ReturnType<typeof txChain>[], ...given: bigint[]) => {
      const ceilings = new Map(given.map((ceiling, index) => [`item ${index}`, ceiling]))
      const queue = given.flatMap((_, index) => payloads(1, 80, `item ${index}`))
      const coins = [coin(1, 50_000n), coin(2, 40_000n)]
      const plan = planTxChains(input({ txChains, coins, queue, ceilings, nextTxChainId: 9 }))
      return plan.transactions.map(({ txChain, payload }) => [txChain, payload?.itemId])
    }

    it('puts none behind what may pay less than nine tenths of what it may itself', () => {
      // With its 202 vbytes: 2,000 + 202 * 2.25 for 1,202 vbytes is nine tenths of 2.25 and a little more.
      expect(txChainsOf([txChain(1, 2_000n)], 2_000n)).toEqual([[1, 'item 0']])
      expect(txChainsOf([txChain(1, 2_000n)], 2_250n)).toEqual([[1, 'item 0']])
      expect(txChainsOf([txChain(1, 2_000n)], 2_300n)).toEqual([[9, 'item 0']])
    })

    it('puts none of low price behind dear ones where these could be held up by it', () => {
      expect(txChainsOf([txChain(1, 9_000n)], 2_000n)).toEqual([[9, 'item 0']])
      // 202 of 1,202 vbytes at two thirds of the price: nine tenths of all is left.
      expect(txChainsOf([txChain(1, 9_000n)], 6_000n)).toEqual([[1, 'item 0']])
    })

    it('gives each price a tx chain of its own, as far as coins go, and the rest waits alone', () => {
      expect(txChainsOf([], 2_000n, 8_000n, 2_000n, 30_000n)).toEqual([
        [9, 'item 0'],
        [10, 'item 1'],
        [9, 'item 2'],
      ])
    })
  })

  it('plans nothing without money', () => {
    expect(planTxChains(input({}))).toEqual({
      transactions: [],
      opened: [],
      closed: [],
      waiting: new Map([['item', 'coins']]),
    })
  })

  it('never spends more than there is, exceeds a tx chain, goes below dust, or leaves a payload out of turn', () => {
    const script = fc.constantFrom(P2WPKH, P2PKH)
    const txChain = fc.record({
      value: fc.bigInt(0n, 2_000_000n),
      unconfirmed: fc.integer({ min: 0, max: 26 }),
      ready: fc.boolean(),
      moves: fc.boolean(),
      script,
    })
    const anyInput = fc.record({
      txChains: fc.array(txChain, { maxLength: 8 }),
      coins: fc.array(fc.tuple(fc.bigInt(1n, 5_000_000n), script), { maxLength: 12 }),
      count: fc.integer({ min: 1, max: 200 }),
      length: fc.integer({ min: 1, max: 100_000 }),
      more: fc.integer({ min: 0, max: 15_000 }),
      maxTxChains: fc.integer({ min: 1, max: 10 }),
      feeRate: fc.bigInt(1n, 20_000n),
    })
    const check = fc.property(anyInput, ({ txChains, coins, count, length, more, maxTxChains, feeRate }) => {
      const states = txChains.map(({ value, unconfirmed, ready, moves, script }, index) => {
        return {
          id: index + 1,
          tip: coin(1000 + index, value, script),
          script,
          seq: unconfirmed,
          unconfirmed,
          vbytes: 0,
          ready,
          ...MOVES,
          moves,
        }
      })
      const queue = payloads(count, length)
      const plan = planTxChains(
        input({
          txChains: states,
          coins: coins.map(([value, script], index) => coin(index + 1, value, script)),
          queue,
          remaining: { transactions: count + more },
          maxTxChains,
          feeRate,
          nextTxChainId: txChains.length + 1,
        }),
      )
      // Payloads go out in order, each once.
      expect(plan.transactions.map(({ payload }) => payload?.index)).toEqual(
        queue.slice(0, plan.transactions.length).map(({ index }) => index),
      )
      const spent = plan.transactions.flatMap(({ spends }) => spends.map(({ txid }) => txid))
      expect(new Set(spent).size).toBe(spent.length)
      const left = new Map<number, bigint>()
      for (const { txChain, spends, splits, change, fee, vsize } of plan.transactions) {
        const value =
          spends.length > 0 ? spends.reduce((sum, { value }) => sum + value, 0n) : (left.get(txChain) ?? -1n)
        const paid = splits.reduce((sum, { value }) => sum + value, change + fee)
        expect(paid).toBe(value)
        expect(change).toBeGreaterThanOrEqual(DUST)
        for (const split of splits) expect(split.value).toBeGreaterThanOrEqual(DUST)
        expect(fee * 1000n).toBeGreaterThanOrEqual(BigInt(vsize) * feeRate)
        left.set(txChain, change)
      }
      for (const state of states) {
        const added = plan.transactions.filter(({ txChain }) => txChain === state.id).length
        if (added > 0) expect(state.ready && state.moves && state.unconfirmed + added <= TX_CHAIN_LENGTH).toBe(true)
      }
      const opened = plan.opened.length + plan.transactions.flatMap(({ splits }) => splits).length
      expect(opened).toBeLessThanOrEqual(maxTxChains)
      if (opened > 0) expect(opened + states.length - plan.closed.length).toBeLessThanOrEqual(4 * maxTxChains)
    })
    fc.assert(check, { numRuns: 300 })
  })
})
