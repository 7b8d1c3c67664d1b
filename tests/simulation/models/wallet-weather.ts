import { fund } from '../pay.ts'
import { elsewhere } from '../spend.ts'
import type { Model, World } from '../world.ts'

const PASSPHRASE = 'open sesame'
/** Longer than any seed. */
const LONG = 100_000_000

/** What operators do to the service's wallet: lock it, search the chain with it, sweep it, or put another in its place. */
export const walletWeather: Model = {
  happen(world) {
    const { random, stage, node } = world
    const wallet = node.wallets.get('')
    if (!wallet) return
    const kind = random.pick(['lock', 'unlock', 'scan', 'rescan', 'restart', 'sweep', 'sweep', 'replace'] as const)
    stage.log.push(`wallet: ${kind}`)
    if (kind === 'lock') {
      if (wallet.passphrase === undefined) node.encryptWallet(wallet, PASSPHRASE)
      wallet.unlockedUntil = 0
    }
    if (kind === 'unlock') wallet.unlockedUntil = node.time + LONG
    if (kind === 'scan') wallet.scan = { from: node.time, until: node.time + random.integer(1, 20) }
    if (kind === 'rescan') {
      const from = node.chain.height - random.integer(0, 5)
      const young = [...wallet.transactions.keys()].filter(
        (txid) => (node.chain.confirmed.get(txid)?.block.height ?? 0) >= from,
      )
      wallet.forgetTransactions(young)
      for (const txid of young) {
        world.forgotten.add(txid)
        if (world.d1.rows('SELECT 1 FROM outputs WHERE txid = ?', txid).length === 0) world.unheard.add(txid)
      }
      world.rescanFrom = Math.min(world.rescanFrom ?? from, from)
    }
    if (kind === 'restart') node.restart()
    if (kind === 'sweep') sweep(world)
    if (kind === 'replace' && random.chance(0.2)) {
      world.replaced ??= wallet
      node.replaceWallet(wallet)
      fund(world)
    }
  },
  calm(world) {
    const { node, random, stage } = world
    // The operator finds the mistake, or stays with the new wallet.
    if (world.replaced && random.chance(0.7)) {
      stage.log.push('wallet: the first one is back')
      node.wallets.set('', world.replaced)
      node.rescan(world.replaced, 0)
    }
    const wallet = node.wallets.get('')
    if (!wallet) return
    wallet.scan = undefined
    if (wallet.passphrase !== undefined) wallet.unlockedUntil = node.time + LONG
    if (world.rescanFrom !== undefined) node.rescan(wallet, Math.max(0, world.rescanFrom))
    world.rescanFrom = undefined
    // An operator who took too much out puts something back.
    fund(world)
  },
}

/** Some of what the wallet can spend goes elsewhere, by the node's own choice of coins, as documented. */
function sweep(world: World): void {
  const balance = Number(world.call('getbalance', [], ''))
  const part = Math.floor(balance * world.random.next())
  if (part < 1) return
  try {
    world.sweeps.add(String(world.call('sendtoaddress', [elsewhere(world), part], '')))
  } catch {
    // Locked, or nothing that may be spent.
  }
}
