import { paymentsOf } from '../../../client/resources/payments.ts'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { transport } from '../../api/client.ts'
import { plainAmount } from '../../core/coins.ts'

const payments = paymentsOf(transport)

/**
 * Asks what items cost. The balance pays them only where somebody has pressed for it, and at most `fromBalance` base units:
 * no address means that it has. @throws {HooklineError}
 */
export async function askPayment(
  blockchain: StorageTarget,
  ids: string[],
  fromBalance = 0n,
): Promise<{ address: string | undefined }> {
  const payment = await payments.request({ blockchain, ids, maxFromBalance: plainAmount(fromBalance) })
  return { address: payment.paid ? undefined : payment.request.address }
}
