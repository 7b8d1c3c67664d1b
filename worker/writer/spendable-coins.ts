import { isKnownScript } from '../../protocol/transaction-size.ts'
import { listCoins, type WalletCoin } from '../chain/fund-methods.ts'
import type { AgentContext } from '../chain-follower/agent-context.ts'
import { mustWait } from '../chain-follower/each-record.ts'
import { selectSetAside } from '../storage/chain/set-aside.ts'
import { selectAddresses } from '../storage/payments/addresses.ts'
import { selectSpent } from '../storage/writes/transactions.ts'

/**
 * Confirmations after which a customer's payment may fund transactions of ours. Until then a reorganisation could take
 * away what a whole lane stands on.
 */
const CUSTOMER_DEPTH = 100

/** Confirmed coins of the wallet that none of our transactions spends, and that are nobody's payment of late. */
export async function listSpendableCoins(context: AgentContext): Promise<WalletCoin[]> {
  const { db, rpc, blockchain, config, now } = context
  const coins = await listCoins(rpc, config.chains[blockchain].confirmations)
  const ours = await selectAddresses(db, blockchain, [...new Set(coins.map(({ address }) => address))])
  const customers = new Set(ours.map(({ address }) => address))
  const spent = await selectSpent(db, blockchain, [...new Set(coins.map(({ txid }) => txid))])
  const aside = new Set(
    (await selectSetAside(db, blockchain, 'lane')).filter((row) => mustWait(row, now)).map(({ id }) => id),
  )
  return coins.filter(
    ({ txid, vout, address, script, confirmations }) =>
      !spent.has(`${txid}:${vout}`) &&
      !aside.has(`${txid}:${vout}`) &&
      isKnownScript(script) &&
      (confirmations >= CUSTOMER_DEPTH || !customers.has(address)),
  )
}
