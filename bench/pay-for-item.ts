import type { CountedDevnet, Product } from './start-product.ts'

/** The fields of an item that the benchmarks read while it is written. */
export interface PaidItem {
  status: string
  written: number
  transactions: number
  storedSize: number
  txids?: string[]
}

/** Requests the payment of a merged item: address, and amount in coins. */
export async function requestPayment(
  product: Product,
  token: string,
  blockchain: string,
  id: string,
): Promise<{ address: string; amount: number }> {
  const body = JSON.stringify({ blockchain, ids: [id] })
  const response = await call(product, token, 'POST', '/payment', body)
  if (response.status !== 402) throw new Error(`payment: ${response.status} ${await response.text()}`)
  const request: { address: string; amount: number } = JSON.parse(await response.text())
  return request
}

/** Requests the payment of a merged item, pays it from the embedded chain's own wallet, and mines that. */
export async function payForItem(
  devnet: CountedDevnet,
  product: Product,
  token: string,
  blockchain: string,
  id: string,
): Promise<void> {
  const { address, amount } = await requestPayment(product, token, blockchain, id)
  const paid = devnet.devnet.handle(
    blockchain,
    JSON.stringify({ id: 1, method: 'sendtoaddress', params: [address, amount] }),
  )
  if (paid.status !== 200) throw new Error(`sendtoaddress: ${paid.body}`)
  devnet.devnet.mineWaiting()
}

/** Reads the progress of an item. */
export async function readPaidItem(product: Product, token: string, id: string): Promise<PaidItem> {
  const response = await call(product, token, 'GET', `/item/${id}`)
  if (response.status !== 200) throw new Error(`item: ${response.status} ${await response.text()}`)
  const item: PaidItem = JSON.parse(await response.text())
  return item
}

function call({ port }: Product, token: string, method: string, path: string, body?: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  return fetch(`http://127.0.0.1:${port}/v0${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
}
