import { mine } from '../mine.ts'
import { fund, spendFromCopy } from '../pay.ts'
import { elsewhere } from '../spend.ts'
import type { Model, World } from '../world.ts'
import { payAtOnce } from './pay-at-once.ts'

/**
 * A second copy of the service's wallet, which knows no locks: it spends what tx chains stand on, or are about to. And an
 * operator who sweeps the wallet right after a restart, which has lost the locks.
 */
export const walletCopy: Model = {
  hard: true,
  happen: spend,
  turn(world) {
    const { random } = world
    payAtOnce(world)
    if (!random.chance(world.passedByFor > 0 ? 0.08 : 0.3)) return
    if (random.chance(0.25)) sweepUnlocked(world)
    else spend(world)
  },
  calm(world) {
    // What was swept is put back, so that writing can go on.
    if (world.sweeps.size > 0) fund(world)
  },
}

function spend(world: World): void {
  const { random, stage } = world
  const name = random.pick(txChainCoins(world))
  if (name === undefined) return
  const txid = spendFromCopy(world, [name], true)
  stage.log.push(`another copy of the wallet spends ${name}: ${txid}`)
  if (txid !== undefined && random.chance(0.5)) mine(world, random.integer(1, 3), { only: [txid] })
}

function sweepUnlocked(world: World): void {
  const { node, stage } = world
  node.restart()
  const most = Math.floor(Number(world.call('getbalance', [], '')) * 0.97)
  if (most < 1) return
  stage.log.push(`swept after a restart: ${most}`)
  try {
    world.sweeps.add(String(world.call('sendtoaddress', [elsewhere(world), most], '')))
  } catch {
    // Locked, or nothing that may be spent.
  }
}

/** Confirmed coins that transactions of ours in no block spend, or that open tx chains go on from. */
function txChainCoins({ d1, node }: World): string[] {
  const rows = d1.rows(
    `SELECT prev_txid || ':' || prev_vout AS name FROM transaction_inputs JOIN transactions USING (blockchain, txid)
       WHERE state IN ('signed', 'sent')
     UNION SELECT before.txid || ':' || before.change_vout FROM transactions AS before JOIN transactions AS next
       ON next.blockchain = before.blockchain AND next.tx_chain = before.tx_chain AND next.seq = before.seq + 1
       WHERE next.state IN ('signed', 'sent') AND before.state != 'dead'
     UNION SELECT coin_txid || ':' || coin_vout FROM tx_chains WHERE state = 'open'
     UNION SELECT txid || ':' || change_vout FROM transactions JOIN tx_chains ON tx_chains.blockchain = transactions.blockchain
       AND tx_chains.id = tx_chain WHERE transactions.state = 'mined' AND tx_chains.state = 'open'
     ORDER BY name`,
  )
  return rows.map(({ name }) => String(name)).filter((name) => node.chain.coins.has(name))
}
