import { mine } from '../mine.ts'
import type { Model, World } from '../world.ts'
import { payAtOnce } from './pay-at-once.ts'

/** Blocks of a turn: after six of them what waits counts as stuck. */
const BLOCKS = 7
const HIGHEST = 40n

/**
 * Times in which miners pass by what the service sent, block after block, while fees rise; what was sent is thrown out
 * of a mempool whose minimum rises, too, and does not fall with the next block.
 */
export const passedBy: Model = {
  hard: true,
  limits: (random) => ({ feeCeilingPercent: random.pick([200, 300, 1000]) ?? 200 }),
  happen() {},
  turn(world) {
    const { random } = world
    payAtOnce(world)
    if (world.passedByFor > 0) {
      world.passedByFor--
      if (world.passedByFor === 0) return end(world)
    } else if (isWriting(world) && random.chance(0.7)) {
      world.passedByFor = random.integer(2, 5)
      world.stage.log.push('blocks pass the service by')
    } else if (random.chance(0.15)) return spike(world)
    if (world.passedByFor === 0) return
    raise(world)
    if (random.chance(0.4)) throwOut(world)
    mine(world, random.chance(0.8) ? BLOCKS : random.integer(1, 3))
  },
  calm: end,
}

/** Whether anything is paid for and not yet on the chain. */
function isWriting({ d1 }: World): boolean {
  const paid = `SELECT 1 FROM writes WHERE state IN ('queued', 'writing')`
  const owed = `SELECT 1 FROM withdrawals WHERE state IN ('waiting', 'sent')`
  return d1.rows(`${paid} UNION ALL ${owed} LIMIT 1`).length > 0
}

/** Fees go up by a little, or above what anybody would pay. */
function raise({ node, random, usual }: World): void {
  const rate = (node.walletFeeRate * BigInt(random.integer(10, 25))) / 10n
  node.feeEstimate = rate > HIGHEST * usual.walletFeeRate ? usual.walletFeeRate : rate
}

/** Fees go far up while requests are open, and down again. */
function spike({ node, random, stage, usual }: World): void {
  node.feeEstimate = random.chance(0.4) ? undefined : usual.walletFeeRate * BigInt(random.integer(2, 30))
  stage.log.push(`fees spike to ${node.feeEstimate}`)
}

/** Ours leave the mempool, which asks for more than they pay from then on. */
function throwOut(world: World): void {
  const { node, random, stage, waiting } = world
  if (waiting.length === 0) return
  const paid = waiting.flatMap((txid) => {
    const entry = node.mempool.entries.get(txid)
    return entry ? (entry.fee * 1000n) / BigInt(entry.transaction.vsize) : []
  })
  const highest = paid.sort((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n
  world.mempoolFloor = (highest * BigInt(random.integer(9, 16))) / 10n
  node.evict(waiting)
  if (world.mempoolFloor > node.mempool.minFeeRate) node.mempool.minFeeRate = world.mempoolFloor
  stage.log.push(`the mempool throws out ${waiting.length} and asks for ${world.mempoolFloor}`)
}

function end(world: World): void {
  world.passedByFor = 0
  world.mempoolFloor = 0n
  world.node.mempool.minFeeRate = 0n
  world.node.feeEstimate = undefined
}
