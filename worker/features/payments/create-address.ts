import type { StorageTarget } from '../../../protocol/chains.ts'
import { newAddress } from '../../chain/rpc/address-methods.ts'
import { payChain } from '../../platform/config/pay-chain.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { tooManyRequests } from '../../platform/http/errors.ts'
import { COUNTED_LIMITS, type CountedLimit } from '../../platform/http/rate-limits.ts'
import { quotaRefusal } from '../auth/quotas.ts'
import { addressLabel } from '../transactions/address-label.ts'
import {
  ADDRESSES_USED,
  assertFewDepositAddressesStatement,
  assertUnusedAddressesStatement,
  discardDepositAddressStatement,
  insertAddressStatement,
  selectDepositAddressCount,
} from '../transactions/sql/addresses.ts'
import { requireKeys } from './check-key-pool.ts'
import { type PaymentContext, requireWallet, withWallet } from './payment-context.ts'

const MINUTE = 60_000
const { most: PER_MINUTE } = COUNTED_LIMITS.addresses

/**
 * A new receiving address of the caller's balance, on the chain that `target` is paid on; the one before is
 * discarded, and credited all the same. With it, how many more may be requested.
 * @throws {AppError} 409 past the account's quota, 429, 503
 */
export async function createAddress(
  context: PaymentContext,
  userId: string,
  target: StorageTarget,
): Promise<{ address: string; left: CountedLimit }> {
  const { db, config, now } = context
  const since = now - MINUTE
  const asked = await selectDepositAddressCount(db, userId, since)
  if (asked >= PER_MINUTE) throw tooManyRequests(60, undefined, 'addresses')
  const { quotas } = config
  const refusal = await quotaRefusal(db, userId, ADDRESSES_USED, quotas, { unusedAddresses: 1 })
  if (refusal) throw refusal
  const blockchain = payChain(target, config)
  const { address, script } = await withWallet(context, target, async (rpc) => {
    await requireWallet(context, rpc, target, 0n)
    await requireKeys(context, rpc, target, userId)
    return await newAddress(rpc, addressLabel({ kind: 'deposit', userId, requestId: undefined }))
  })
  const inserted = await batchIf(db, [
    // Others may have been requested at the same time.
    assertFewDepositAddressesStatement(db, userId, since, PER_MINUTE),
    assertUnusedAddressesStatement(db, userId, quotas.unusedAddresses),
    discardDepositAddressStatement(db, userId, blockchain),
    insertAddressStatement(db, { blockchain, address, script, userId, kind: 'deposit' }, now),
  ])
  if (!inserted)
    throw (
      (await quotaRefusal(db, userId, ADDRESSES_USED, quotas, { unusedAddresses: 1 })) ??
      tooManyRequests(60, undefined, 'addresses')
    )
  return { address, left: { name: 'addresses', left: PER_MINUTE - asked - 1 } }
}
