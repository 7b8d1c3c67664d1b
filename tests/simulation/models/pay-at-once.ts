import { mine } from '../mine.ts'
import { pay } from '../pay.ts'
import type { World } from '../world.ts'

/** Who has asked for an address pays what is due to it, if no payment is there, and blocks come. */
export function payAtOnce(world: World): void {
  const { d1, node, payments, random } = world
  const { mempool, chain } = node
  const there = payments.filter(({ txid }) => mempool.entries.has(txid) || chain.confirmed.has(txid))
  const paid = new Set(there.map(({ address }) => address))
  const due = d1.rows(`SELECT address, amount FROM payment_requests WHERE state = 'open' AND address IS NOT NULL`)
  for (const { address, amount } of due) {
    if (paid.has(String(address)) || random.chance(0.3)) continue
    pay(world, String(address), BigInt(String(amount)))
    mine(world, random.integer(1, 3))
  }
}
