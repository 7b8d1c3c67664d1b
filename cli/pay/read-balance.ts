import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { parseAmount } from '../../protocol/amount.ts'

/** The balance of a chain in base units; `undefined` if the key may not read the account. */
export async function readBalance(client: Client, chain: string, signal: AbortSignal): Promise<bigint | undefined> {
  try {
    const { balances } = await client.account.get({ signal })
    return parseAmount(balances[chain] ?? '0')
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined
    throw error
  }
}
