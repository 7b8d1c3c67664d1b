import type { Blockchain, StorageTarget } from '../../../protocol/chains.ts'
import { readKeysAhead } from '../../chain/rpc/fund-methods.ts'
import type { WalletRpc } from '../../chain/rpc/wallet-rpc.ts'
import { payChain } from '../../platform/config/pay-chain.ts'
import { unavailable } from '../../platform/http/errors.ts'
import { selectUnpaidInRow } from '../transactions/sql/addresses.ts'
import type { PaymentContext } from './payment-context.ts'
import { hasPaid } from './sql/ledger.ts'

/** Addresses looked at, where a wallet makes more keys ahead. */
const MOST_ADDRESSES = 10_000
const RETRY_AFTER = 600

/** Addresses in a row without a payment, of how many that a restored copy of the wallet would find. */
interface KeyPool {
  unpaid: number
  ahead: number
}

/** `undefined` where the node does not say how many keys its wallet makes ahead. @throws {NodeError} {@link RpcError} */
async function readKeyPool(db: D1Database, rpc: WalletRpc, blockchain: Blockchain): Promise<KeyPool | undefined> {
  const keys = await readKeysAhead(rpc)
  if (keys === undefined) return undefined
  const ahead = Math.min(keys, MOST_ADDRESSES)
  return { unpaid: await selectUnpaidInRow(db, blockchain, ahead), ahead }
}

/**
 * A message if half of the keys that a restored wallet would look for were issued in a row without a payment, over all
 * accounts.
 * @throws {NodeError} {@link RpcError}
 */
export async function findKeyPoolProblem(
  db: D1Database,
  rpc: WalletRpc,
  blockchain: Blockchain,
): Promise<string | undefined> {
  const pool = await readKeyPool(db, rpc, blockchain)
  if (!pool || 2 * pool.unpaid < pool.ahead) return undefined
  return `${pool.unpaid} addresses in a row were given out and not paid; the key pool of the wallet has ${pool.ahead}`
}

/**
 * Reserves the last tenth of the key pool for accounts that have paid before. Otherwise requests that nobody pays could
 * use up the keys that a restored wallet finds.
 * @throws {AppError} 503 {@link NodeError} {@link RpcError}
 */
export async function requireKeys(
  { db, config }: PaymentContext,
  rpc: WalletRpc,
  target: StorageTarget,
  userId: string,
): Promise<void> {
  const blockchain = payChain(target, config)
  const pool = await readKeyPool(db, rpc, blockchain)
  if (!pool || 2 * pool.unpaid < pool.ahead) return
  console.warn('addresses_unpaid', blockchain, `${pool.unpaid} in a row, of a key pool of ${pool.ahead}`)
  if (10 * pool.unpaid < 9 * pool.ahead || (await hasPaid(db, userId))) return
  const message = `Too many addresses of ${blockchain} wait for their first payment. An account that has not paid yet gets an address when some of them are paid.`
  throw unavailable('payment_unavailable', message, { retryAfter: RETRY_AFTER })
}
