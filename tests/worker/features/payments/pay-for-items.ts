import type { Blockchain, StorageTarget } from '../../../../protocol/chains.ts'
import { signIn } from '../../sign-in.ts'
import type { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi, uploadItem } from '../items/api.ts'

export type Answer = Record<string, unknown> & { status: number }

/** A response's JSON fields with its HTTP status; an item's own `status` is then not seen. */
export async function readAnswer(response: Response): Promise<Answer> {
  const body: Record<string, unknown> = await response.json()
  return { ...body, status: response.status }
}

/** A new account and its API. */
export async function newUser(): Promise<{ userId: string; api: Api }> {
  const { userId, headers } = await signIn()
  return { userId, api: callApi(headers) }
}

/** An item in `402 Payment Required`; without content, one that no other is like. */
export async function mergedItem(
  api: Api,
  blockchain: StorageTarget,
  content: Uint8Array<ArrayBuffer> = Uint8Array.from(Buffer.from(crypto.randomUUID())),
): Promise<string> {
  const id = await uploadItem(api, content, { blockchain })
  for (;;) {
    const merged = await api.send('POST', `/item/${id}/merge`)
    const text = await merged.text()
    if (merged.status === 200) return id
    // What takes long goes on behind the answer.
    if (merged.status !== 202) throw new Error(`merge: ${merged.status} ${text}`)
    await scheduler.wait(100)
  }
}

/** POST /v0/payment */
export async function askPayment(api: Api, ids: readonly string[], blockchain: StorageTarget): Promise<Answer> {
  return await readAnswer(await api.sendJson('POST', '/payment', { blockchain, ids }))
}

/** An item in `402 Payment Required`, with what the request for its payment answered. */
export async function pricedItem(
  api: Api,
  blockchain: StorageTarget,
  content?: Uint8Array<ArrayBuffer>,
): Promise<Answer & { id: string }> {
  const id = await mergedItem(api, blockchain, content)
  return { ...(await askPayment(api, [id], blockchain)), id }
}

/** An item as the API shows it. */
export async function showItem(api: Api, id: string): Promise<Record<string, unknown>> {
  return await (await api.send('GET', `/item/${id}`)).json()
}

/** An item whose payment has just got its confirmations, and which the agent has begun to write. */
export async function paidItem(
  chain: ReturnType<typeof useDevnet>,
  api: Api,
  blockchain: Blockchain,
  content?: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const { id, address, amount, confirmations } = await pricedItem(api, blockchain, content)
  chain.pay(blockchain, address, amount)
  await chain.confirm(blockchain, Number(confirmations))
  return id
}
