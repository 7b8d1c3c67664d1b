import { settleRestore, waitForLookup } from '../acts/after-restore.ts'
import { checkSupply } from '../check-step.ts'
import { mine } from '../mine.ts'
import { fund } from '../pay.ts'
import { runAlarm, wakeAgent } from '../run-service.ts'
import { askForAll } from '../user-acts.ts'
import type { Model, World } from '../world.ts'
import { payAtOnce } from './pay-at-once.ts'

/** Blocks in which everything has to be mined that pays what blocks take. */
const WITHIN = 144

/**
 * Fees that rise while things are written, and do not fall again. Whoever was quoted a price that covers what blocks take, as often
 * as the ceiling allows, is mined all the same, and so is who pays the new price, whatever waits beside them.
 */
export const longSpike: Model = {
  money: true,
  happen({ node, random, usual, stage }) {
    node.feeEstimate = usual.walletFeeRate * BigInt(random.integer(1, 12))
    stage.log.push(`fees rise to ${node.feeEstimate}`)
  },
  turn(world) {
    payAtOnce(world)
    if (world.random.chance(0.3)) longSpike.happen(world)
  },
  calm({ node }) {
    node.feeEstimate = undefined
  },
  async end(world) {
    const { node, random, usual, stage } = world
    const rate = rateOf(world)
    if (rate === undefined) return
    stage.log.push(`the long spike: blocks take ${rate}`)
    // Coins are not what is missing.
    for (let count = 0; count < 8; count++) fund(world, '20')
    mine(world, 3)
    node.feeEstimate = rate
    node.reconfigure({ blockMinFeeRate: (rate * 9n) / 10n })
    for (let block = 0; block < WITHIN; block++) {
      if (block < 3) await world.stage.run([() => askForAll(world, world.items)])
      if (block < 6) payAtOnce(world)
      await world.stage.run([() => wakeAgent(world)])
      await world.stage.run([() => runAlarm(world)])
      // As another copy of the wallet spends, or after a restore: payouts wait until an operator has looked that up.
      if (waitForLookup(world)) await world.stage.run([() => settleRestore(world)])
      mine(world)
      world.problems.push(...checkSupply(world))
      world.now += random.integer(2_000, 60_000)
      if (block > 10 && covered(world, rate).length === 0) break
    }
    const left = covered(world, rate)
    world.count('what pays enough is mined in a spike')
    world.problems.push(
      ...left.map((name) => `${name} was not mined in ${WITHIN} blocks, though its price covers ${rate}`),
    )
    node.feeEstimate = undefined
    node.reconfigure({ blockMinFeeRate: usual.blockMinFeeRate })
  },
}

/** A fee rate that the ceiling of some item or withdrawal that waits just covers, or a little more. */
function rateOf({ d1, random, config, usual }: World): bigint | undefined {
  const quotes = d1.rows(
    `SELECT fee_rate FROM writes JOIN payment_requests ON id = request_id WHERE writes.state IN ('queued', 'writing')
     UNION ALL SELECT fee_rate FROM withdrawals WHERE state IN ('waiting', 'sent') ORDER BY fee_rate`,
  )
  const quote = random.pick(quotes)?.fee_rate
  if (typeof quote !== 'string') return undefined
  const ceiling = (BigInt(quote) * BigInt(config.feeCeilingPercent)) / 100n
  const rate = (ceiling * BigInt(random.pick([100, 100, 80, 130]) ?? 100)) / 100n
  return rate > usual.walletFeeRate ? rate : undefined
}

/** What was sent on a tx chain that an operator is shown: the wallet has no key of it, for example. */
const SHOWN = `SELECT 1 FROM transactions JOIN failed_records ON failed_records.id = CAST(tx_chain AS TEXT)
  WHERE transactions.state = 'sent' AND failed_records.kind = 'tx_chain'`

/** A withdrawal whose owner consented to a higher fee, and cheaper items follow it: a bump would have to pay for those, too. */
const CONSENTED = `SELECT 1 FROM transactions JOIN transactions AS later USING (blockchain, tx_chain)
  WHERE transactions.withdrawal_id = withdrawals.id AND later.seq > transactions.seq AND later.item_id IS NOT NULL
    AND EXISTS (SELECT 1 FROM ledger WHERE cause LIKE 'withdrawal-fee:' || withdrawals.id || ':%')`

/**
 * On a tx chain whose coin a reorganisation left unconfirmed, of an item whose price is below the quote ?1: a bump
 * would have to pay for that one, too.
 */
const BEHIND_CHEAP = `SELECT 1 FROM transactions JOIN tx_chains USING (blockchain) JOIN transactions AS source ON source.txid = tx_chains.coin_txid
  JOIN writes ON writes.item_id = source.item_id JOIN payment_requests ON payment_requests.id = writes.request_id
  WHERE tx_chains.id = transactions.tx_chain AND source.state = 'sent' AND CAST(payment_requests.fee_rate AS INTEGER) < ?1`

/**
 * What is on a tx chain whose coin came from somebody else's transaction that left the chain: what that pays is not the service's. By the
 * names of {@link covered}.
 */
function behindOthers({ d1, node }: World): Set<string> {
  const rows = d1.rows(
    `SELECT IIF(withdrawal_id IS NULL, 'item ' || item_id, 'withdrawal ' || withdrawal_id) AS name, coin_txid
     FROM transactions JOIN tx_chains ON tx_chains.blockchain = transactions.blockchain AND tx_chains.id = tx_chain
     WHERE transactions.state = 'sent' AND coin_txid NOT IN (SELECT txid FROM transactions)`,
  )
  const loose = rows.filter(({ coin_txid }) => !node.chain.confirmed.has(String(coin_txid)))
  return new Set(loose.map(({ name }) => String(name)))
}

/**
 * What waits though it may be paid for at `rate`: items being written, and withdrawals on their way whose money is on the chain; not
 * what an operator is shown, for somebody else has spent its coin, or the wallet has no key for it.
 */
function covered(world: World, rate: bigint): string[] {
  const { d1, config } = world
  const rows = d1.rows(
    `SELECT 'item ' || item_id AS name, fee_rate FROM writes JOIN payment_requests ON id = request_id
       WHERE writes.state IN ('queued', 'writing') AND NOT EXISTS (${SHOWN} AND item_id = writes.item_id)
         AND NOT EXISTS (${BEHIND_CHEAP} AND transactions.item_id = writes.item_id)
     UNION ALL SELECT 'withdrawal ' || id, fee_rate FROM withdrawals WHERE state IN ('waiting', 'sent') AND ending IS NULL
       AND id NOT IN (SELECT id FROM failed_records WHERE kind = 'withdrawal')
       AND NOT EXISTS (${SHOWN} AND withdrawal_id = withdrawals.id) AND NOT EXISTS (${CONSENTED})
       AND NOT EXISTS (${BEHIND_CHEAP} AND transactions.withdrawal_id = withdrawals.id)
       AND NOT EXISTS (SELECT 1 FROM outputs JOIN addresses USING (blockchain, address)
         WHERE addresses.user_id = withdrawals.user_id AND credited = 1 AND block_height IS NULL)`,
    // The quote that times the ceiling is the rate.
    (Number(rate) * 100) / config.feeCeilingPercent,
  )
  const mayPay = (quote: unknown) => (BigInt(String(quote)) * BigInt(config.feeCeilingPercent)) / 100n >= rate
  const names = rows.filter(({ fee_rate }) => mayPay(fee_rate)).map(({ name }) => String(name))
  if (names.length === 0) return names
  const behind = behindOthers(world)
  return names.filter((name) => !behind.has(name))
}
