import { mine } from '../mine.ts'
import { noteDepths } from '../note-history.ts'
import { spendAgain } from '../pay.ts'
import { payForAll, withdraw, withdrawalOf } from '../user-acts.ts'
import type { Model } from '../world.ts'
import { payAtOnce } from './pay-at-once.ts'

/** Blocks that a reorganisation takes off at most. */
const DEEPEST = 6

/**
 * Deposits that were credited and leave the chain, to wait again, or for good, while their owners spend what they had; miners pass
 * by those that wait.
 */
export const lostDeposits: Model = {
  money: true,
  happen(world) {
    const { random, node, d1, stage } = world
    const sql = 'SELECT txid FROM outputs WHERE credited = 1 AND block_height IS NOT NULL'
    // What is just being written was paid with some of it.
    const writing = d1.rows(
      `${sql} AND address IN (SELECT address FROM payment_requests JOIN writes ON request_id = id
         WHERE writes.state IN ('queued', 'writing')) ORDER BY rowid`,
    )
    const credited = writing.length > 0 ? writing : d1.rows(`${sql} ORDER BY rowid`)
    const young = credited.flatMap(({ txid }) => {
      const block = node.chain.confirmed.get(String(txid))?.block
      return block && node.chain.confirmations(block) <= DEEPEST ? { txid: String(txid), block } : []
    })
    const lost = random.pick(young)
    if (!lost || lost.block.height < 11) return
    const depth = node.chain.confirmations(lost.block)
    const kind = random.pick(['waits', 'waits', 'forgotten', 'spent otherwise'] as const)
    stage.log.push(`a deposit leaves the chain with ${depth} blocks: ${kind}`)
    noteDepths(world)
    node.invalidate(lost.block)
    world.withheld.add(lost.txid)
    const payment = world.payments.find(({ txid }) => txid === lost.txid)
    if (kind !== 'waits') node.evict([lost.txid])
    if (kind === 'spent otherwise' && payment && !payment.isReward) spendAgain(world, payment.coin)
    mine(world, depth + 1)
  },
  turn(world) {
    payAtOnce(world)
    if (world.random.chance(0.35)) lostDeposits.happen(world)
  },
  acts(world) {
    const { random } = world
    if (world.withheld.size === 0 || !random.chance(0.6)) return []
    if (random.chance(0.5)) return payForAll(world)
    const order = withdrawalOf(world, random)
    return order ? [() => withdraw(world, order)] : []
  },
  calm({ withheld }) {
    withheld.clear()
  },
}
