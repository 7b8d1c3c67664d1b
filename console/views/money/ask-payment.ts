import type { StorageTarget } from '../../../protocol/chains.ts'
import { refusalOf } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'

/**
 * Asks what items cost. A 402 is the request to pay and no failure; a 200 means that the balance has paid it.
 * @throws {ApiError}
 */
export async function askPayment(blockchain: StorageTarget, ids: string[]): Promise<{ address: string | undefined }> {
  const { error, response } = await api.POST('/v0/payment', { body: { blockchain, ids } })
  if (response.ok) return { address: undefined }
  if (response.status === 402 && isRequest(error)) return { address: error.address }
  throw refusalOf(response, error)
}

function isRequest(body: unknown): body is { address: string } {
  return typeof body === 'object' && body !== null && 'address' in body && typeof body.address === 'string'
}
