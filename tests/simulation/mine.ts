import { addressScript } from '../../devnet/address.ts'
import { noteDepths } from './note-history.ts'
import { paidAt, replacePayment } from './pay.ts'
import type { World } from './world.ts'

/** Mines blocks, whose reward goes to an address `to` where one is given. */
export function mine(
  world: World,
  blocks = 1,
  { to, ...options }: { empty?: boolean; only?: readonly string[]; to?: string } = {},
): void {
  const address = to ?? String(world.call('getnewaddress', [], 'faucet'))
  const script = addressScript(address, world.node.settings.address)
  for (let i = 0; i < blocks && script; i++) {
    world.now += 1000
    world.node.mine(script, passBy(world, options))
    const { mempool } = world.node
    if (world.mempoolFloor > mempool.minFeeRate) mempool.minFeeRate = world.mempoolFloor
  }
  noteDepths(world)
}

/** What a block may hold: all but what miners pass by now, and what stands on that. */
function passBy<T extends { empty?: boolean; only?: readonly string[] }>(world: World, options: T): T {
  const { mempool } = world.node
  const avoided = [...world.withheld, ...(world.passedByFor > 0 ? world.waiting : [])]
  const entries = avoided.flatMap((txid) => mempool.entries.get(txid) ?? [])
  if (entries.length === 0 || options.empty) return options
  const passed = new Set([...mempool.descendantsOf(entries)].map(({ transaction }) => transaction.txid))
  return { ...options, only: (options.only ?? [...mempool.entries.keys()]).filter((txid) => !passed.has(txid)) }
}

/** A block whose reward is paid to an address. */
export function mineTo(world: World, address: string): void {
  mine(world, 1, { to: address })
  const [coinbase] = world.node.chain.tip.transactions
  const amount = coinbase?.outputs[0]?.value
  if (!coinbase || amount === undefined) return
  world.seen.set(coinbase.txid, coinbase)
  const coin = { txid: coinbase.txid, vout: 0, amount: '0' }
  world.payments.push({ txid: coinbase.txid, address, amount, at: paidAt(world, address), coin, isReward: true })
}

/** Takes the last `depth` blocks off, loses some of their transactions, and mines one block more. */
export function reorganise(world: World, depth: number): void {
  const block = world.node.chain.active[world.node.chain.height - depth + 1]
  if (!block || block.height < 11) return
  noteDepths(world)
  world.stage.log.push(`reorganisation of ${depth}`)
  world.node.invalidate(block)
  const lost = [...world.node.mempool.entries.keys()].filter(() => world.random.chance(0.2))
  world.node.evict(lost)
  if (world.random.chance(0.3)) replacePayment(world)
  mine(world, world.random.integer(1, depth + 2), { empty: world.random.chance(0.3) })
}

export function evictSome(world: World): void {
  const txids = [...world.node.mempool.entries.keys()]
  const txid = world.random.pick(txids)
  if (txid !== undefined) world.node.evict([txid])
}
