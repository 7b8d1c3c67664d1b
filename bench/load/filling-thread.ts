import { once } from 'node:events'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { randomBytes } from '../sample-bytes.ts'
import { type Sent, sendEvenly, sendThroughFront, strangerAddress } from '../strangers.ts'

/** Bytes of an attacker's item. */
export const ITEM_BYTES = 20_000
/** Items that an attacker remembers; the newest are uploaded. */
const ITEMS_AT_ONCE = 10

/** Requests time out after 10 s: at most 2,000 are open at 200 a second. */
const PATIENCE = { mostUnderWay: 2_000, timeoutMs: 10_000 }

/** What attackers send, and how many requests a second until then (milliseconds since 1970). */
export interface Filling {
  port: number
  perSecond: number
  until: number
  /** Access tokens of attackers with accounts. */
  tokens: string[]
  /** The id of an item that they report. */
  reported: string
}

/** Sends sign-ups, items, uploads and reports in turn, each from another /64, in a separate thread. */
export async function fillInThread(filling: Filling): Promise<Sent> {
  const thread = new Worker(new URL(import.meta.url), { workerData: filling })
  const [sent]: Sent[] = await once(thread, 'message')
  await thread.terminate()
  if (!sent) throw new Error('the thread of the strangers sent no result')
  return sent
}

/** One request of an attacker; the kinds take turns. */
function fill({ port, tokens, reported }: Filling): (index: number, signal: AbortSignal) => Promise<number> {
  const items: { id: string; token: string }[] = []
  return async (index, signal) => {
    const token = tokens[(index >> 2) % tokens.length] ?? ''
    const headers = { Authorization: `Bearer ${token}` }
    const address = strangerAddress()
    const post = async (path: string, body: unknown, more: Record<string, string> = {}) =>
      await sendThroughFront({ port }, address, {
        ...{ method: 'POST', path, body: JSON.stringify(body), headers: more, signal },
      })
    switch (index % 4) {
      case 0: {
        const names = { firstName: 'No', lastName: 'Body' }
        return (await post('/user', { email: `nobody${index}@example.org`, password: 'Correct1horse', ...names }))
          .status
      }
      case 1: {
        const file = { name: 'a.bin', mimetype: 'text/plain', blockchain: 'IPFS', size: ITEM_BYTES }
        const { status, body } = await post('/item', { items: Array(ITEMS_AT_ONCE).fill(file) }, headers)
        if (status !== 201) return status
        const made: { items: { id: string }[] } = JSON.parse(body)
        items.push(...made.items.map(({ id }) => ({ id, token })))
        return status
      }
      case 2: {
        const item = items.pop()
        if (!item) return 0
        const body = Uint8Array.from(randomBytes(ITEM_BYTES, `filling ${index}`))
        const sent = {
          ...{ method: 'PUT', path: `/item/${item.id}/chunk/0`, body, signal },
          headers: { Authorization: `Bearer ${item.token}` },
        }
        return (await sendThroughFront({ port }, address, sent)).status
      }
      default:
        return (await post('/report', reportOf(index, reported))).status
    }
  }
}

/** A report about existing or unknown content. */
function reportOf(index: number, itemId: string) {
  const reason = 'It is not mine.'
  if (index % 8 < 4) return { kind: 'item', value: itemId, reason }
  return { kind: 'txid', value: index.toString(16).padStart(64, '0'), blockchain: 'Nativecoin', reason }
}

if (parentPort) {
  const filling: Filling = workerData
  parentPort.postMessage(await sendEvenly(filling.perSecond, filling.until, fill(filling), PATIENCE))
}
