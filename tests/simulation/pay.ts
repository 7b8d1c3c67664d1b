import { formatAmount } from '../../protocol/amount.ts'
import { COIN } from '../../protocol/chains.ts'
import { watchMempool } from './note-history.ts'
import type { Payment } from './records.ts'
import { elsewhere, faucetCoin, send, spend } from './spend.ts'
import type { World } from './world.ts'

/**
 * Pays from somebody's wallet, by so many outputs of one transaction. With `instead` it spends that payment's coin at a higher
 * fee, and counts as made `at` that time.
 */
export function pay(
  world: World,
  address: string,
  amount: bigint,
  { outputs = 1, instead, at = paidAt(world, address) }: { outputs?: number; instead?: Payment; at?: number } = {},
): void {
  const coin = instead?.coin ?? faucetCoin(world)
  if (!coin || amount <= 0n) return
  const txid = spend(world, coin, { [address]: formatAmount(amount) }, instead ? 100n : 1n, outputs)
  if (txid === undefined) return
  watchMempool(world)
  world.payments.push({ txid, address, amount, at, coin })
}

/** The time of a payment to an address that is made now: with a clock that is put back, what has expired stays so. */
export function paidAt(world: World, address: string): number {
  const sql = `SELECT expires_at FROM payment_requests WHERE address = ? AND state = 'expired'`
  const [ended] = world.d1.rows(sql, address)
  return Math.max(world.now, world.serviceNow(), Number(ended?.expires_at ?? 0))
}

/** Another transaction takes a payment's place, and pays the payer: it wins where the payment is not mined. */
export function replacePayment(world: World): void {
  const payment = world.random.pick(
    world.payments.filter(({ txid, isReward }) => !isReward && !world.node.chain.confirmed.has(txid)),
  )
  if (!payment) return
  world.stage.log.push(`replaces ${payment.txid}`)
  spend(world, payment.coin, {}, 100n)
}

/** Others' transactions, at `factor` times the usual fee. */
export function crowd(world: World, factor: bigint): void {
  const coin = faucetCoin(world)
  if (coin) spend(world, coin, {}, factor)
}

/** An operator puts coins into the service's wallet. */
export function fund(world: World, amount = '90'): void {
  const coin = faucetCoin(world)
  if (!coin) return
  const txid = spend(world, coin, { [String(world.call('getnewaddress', [], ''))]: amount }, 30n)
  if (txid !== undefined) world.fundings.push({ txid, coin })
}

/** Something else spends what a transaction of the faucet did: it wins where that one is not mined. */
export function spendAgain(world: World, coin: Payment['coin']): string | undefined {
  return spend(world, coin, {}, 100n)
}

/** Another copy of the service's wallet spends coins of it: one coin goes elsewhere, the rest back to the wallet. */
export function spendFromCopy(world: World, names: readonly string[], kept: boolean): string | undefined {
  const { node } = world
  const coins = names.flatMap((name) => {
    const coin = node.chain.coins.get(name)
    return coin ? { name, value: coin.value } : []
  })
  const total = coins.reduce((sum, { value }) => sum + value, 0n)
  const fee = (world.usual.walletFeeRate / 2n + 1000n) * 100n * BigInt(coins.length)
  const away = kept ? COIN : total - fee - COIN
  if (coins.length === 0 || total < 3n * COIN + fee) return undefined
  const inputs = coins.map(({ name }) => ({ txid: name.split(':')[0], vout: Number(name.split(':')[1]) }))
  const outputs = {
    [elsewhere(world)]: formatAmount(away),
    [String(world.call('getnewaddress', [], ''))]: formatAmount(total - away - fee),
  }
  // Its node never had what this one has of the service's.
  node.evict(names.flatMap((name) => node.mempool.spenders.get(name)?.transaction.txid ?? []))
  const txid = send(world, world.call('createrawtransaction', [inputs, outputs]), '')
  if (txid !== undefined) world.sweeps.add(txid)
  return txid
}
