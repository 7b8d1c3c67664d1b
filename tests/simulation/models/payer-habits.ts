import { CHAINS } from '../../../protocol/chains.ts'
import { mine, mineTo } from '../mine.ts'
import { pay } from '../pay.ts'
import type { Payment } from '../records.ts'
import type { Model, World } from '../world.ts'

/** Payers who raise their fee, pay by several outputs of one transaction, or have a miner pay for them. */
export const payerHabits: Model = {
  money: true,
  happen(world) {
    const { random, stage } = world
    const kind = random.pick(['raise', 'raise', 'raise less', 'several', 'several', 'reward'] as const)
    const address = random.pick(addressesOf(world))
    const payment = random.pick(
      world.payments.filter((one) => !one.isReward && world.node.mempool.entries.has(one.txid)),
    )
    if (kind === 'reward' && address !== undefined && random.chance(0.3)) {
      stage.log.push('a reward is paid to an address of the service')
      mineTo(world, address)
    }
    if (kind === 'several' && address !== undefined) {
      stage.log.push('several outputs pay one address')
      pay(world, address, dueOf(world, address), { outputs: random.integer(2, 4) })
    }
    if (payment && (kind === 'raise' || kind === 'raise less')) {
      stage.log.push(`a payer raises the fee of ${payment.txid}`)
      const { address, amount } = payment
      const less = kind === 'raise less' && amount > 4_000_000n ? amount / 2n : amount
      pay(world, address, less, { instead: payment, ...timeOf(world, payment, less) })
    }
  },
  turn(world) {
    if (world.random.chance(0.3)) payerHabits.happen(world)
  },
  async end(world) {
    // Until the newest reward may be credited.
    const heights = world.payments.flatMap(({ txid, isReward }) =>
      isReward ? (world.node.chain.confirmed.get(txid)?.block.height ?? []) : [],
    )
    if (heights.length === 0) return
    const wanted = Math.max(...heights) + CHAINS[world.blockchain].coinbaseMaturity
    while (world.node.chain.height < wanted) mine(world)
  },
}

function addressesOf({ d1 }: World): string[] {
  return d1.rows('SELECT address FROM addresses ORDER BY rowid').map(({ address }) => String(address))
}

function dueOf({ d1 }: World, address: string): bigint {
  const [request] = d1.rows('SELECT amount FROM payment_requests WHERE address = ?', address)
  return BigInt(String(request?.amount ?? 50_000_000))
}

/** A payment whose fee was raised has the time of the first one, where the service has seen that and as much is paid. */
function timeOf({ d1, now }: World, { txid, at, amount }: Payment, paid: bigint): { at?: number } {
  const isSeen = d1.rows('SELECT 1 FROM outputs WHERE txid = ?', txid).length > 0
  return isSeen && paid >= amount && at <= now ? { at } : {}
}
