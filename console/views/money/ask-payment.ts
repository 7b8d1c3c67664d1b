import { paymentsOf } from '../../../client/resources/payments.ts'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { transport } from '../../api/client.ts'

const payments = paymentsOf(transport)

/** Asks what items cost; no address means that the balance has paid it. @throws {HooklineError} */
export async function askPayment(blockchain: StorageTarget, ids: string[]): Promise<{ address: string | undefined }> {
  const payment = await payments.request({ blockchain, ids, maxFromBalance: null })
  return { address: payment.paid ? undefined : payment.request.address }
}
