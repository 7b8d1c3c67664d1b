import { parseAmount } from '../../protocol/amount.ts'
import { fromHex } from '../../protocol/bytes.ts'

/** A coin of a wallet. */
export interface WalletCoin {
  txid: string
  vout: number
  address: string
  /** In base units. */
  amount: bigint
  script: Uint8Array
}

/** Coins in the answer to `listunspent`, the largest last. @throws {Error} for another answer */
export function readCoins(list: unknown): WalletCoin[] {
  if (!Array.isArray(list)) throw new Error('listunspent returned no list')
  return list
    .map((coin: unknown) => ({
      txid: String(fieldOf(coin, 'txid')),
      vout: Number(fieldOf(coin, 'vout')),
      address: String(fieldOf(coin, 'address')),
      amount: parseAmount(String(fieldOf(coin, 'amount'))),
      script: fromHex(String(fieldOf(coin, 'scriptPubKey'))) ?? new Uint8Array(0),
    }))
    .sort((a, b) => (a.amount < b.amount ? -1 : 1))
}

/** A field of an object in an answer; `undefined` where there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

/** The result of one method of an embedded node, at a URL with user and password. @throws {Error} with the node's reason */
export async function callNode(url: string, method: string, params: unknown[]): Promise<unknown> {
  const { username, password, origin, pathname } = new URL(url)
  const response = await fetch(origin + pathname, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${username}:${password}`)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ id: 1, method, params }),
  })
  const answer: unknown = await response.json()
  const error = fieldOf(answer, 'error')
  if (error) throw new Error(`${method}: ${String(fieldOf(error, 'message'))}`)
  return fieldOf(answer, 'result')
}
