import { paymentsOf } from '../../../client/resources/payments.ts'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { transport } from '../../api/client.ts'
import { plainAmount } from '../../core/coins.ts'

const payments = paymentsOf(transport)

/**
 * Requests a payment for items. The balance pays it only if the user pressed that button, and at most `fromBalance`
 * base units; without an address in the response it has been paid.
 * @throws {HooklineError}
 */
export async function askPayment(
  blockchain: StorageTarget,
  ids: string[],
  fromBalance = 0n,
): Promise<{ address: string | undefined }> {
  const payment = await payments.request({ blockchain, ids, maxFromBalance: plainAmount(fromBalance) })
  return { address: payment.paid ? undefined : payment.request.address }
}
