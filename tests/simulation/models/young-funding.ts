import { mine } from '../mine.ts'
import { noteDepths } from '../note-history.ts'
import { fund, spendAgain, spendFromCopy } from '../pay.ts'
import type { Model, World } from '../world.ts'
import { payAtOnce } from './pay-at-once.ts'

/** Blocks that a reorganisation takes off at most. */
const DEEPEST = 6

/** A wallet that is emptied, and funded with a coin at a time that a reorganisation may take away again for good. */
export const youngFunding: Model = {
  hard: true,
  begin(world) {
    const wallet = world.node.wallets.get('')
    spendFromCopy(world, [...(wallet?.coins.keys() ?? [])], false)
    mine(world)
    refill(world)
    mine(world, 3)
  },
  happen() {},
  turn(world) {
    const { random } = world
    payAtOnce(world)
    if (random.chance(0.25)) loseFunding(world)
    if (random.chance(0.3)) refill(world)
  },
  calm(world) {
    refill(world)
  },
}

function refill(world: World): void {
  const { random } = world
  for (let count = random.integer(1, 2); count > 0; count--) fund(world, String(random.pick([2, 10, 90]) ?? 90))
}

/** The chain is reorganised, and what had funded the wallet is not in it any more: its coin was spent otherwise. */
function loseFunding(world: World): void {
  const { node, random, stage } = world
  const young = world.fundings.flatMap(({ txid, coin }) => {
    const block = node.chain.confirmed.get(txid)?.block
    const depth = block ? node.chain.confirmations(block) : 0
    return block && depth <= DEEPEST ? { txid, coin, block, depth } : []
  })
  const lost = random.pick(young)
  if (!lost || lost.block.height < 11) return
  noteDepths(world)
  stage.log.push(`a funding is lost in a reorganisation of ${lost.depth}`)
  node.invalidate(lost.block)
  node.evict([lost.txid])
  const other = spendAgain(world, lost.coin)
  mine(world, 1, other === undefined ? {} : { only: [other] })
  mine(world, lost.depth)
}
