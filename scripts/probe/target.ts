import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import { isRecord } from '../../worker/platform/http/is-record.ts'
import { type Answer, type Ask, isThisMachine } from './ask.ts'

/** Why nothing can be checked; the message says what to do. */
export class ProbeError extends Error {
  override name = 'ProbeError'
}

/** What a chain holds, Brotli-compressed as content is stored. */
export interface ChainContent {
  blockchain: Blockchain
  txids: string[]
}

/** The service that is checked, and what it says of itself. */
export interface Target {
  ask: Ask
  /** The origin of the API. */
  api: URL
  /** The origin of the content. */
  storage: URL
  /** Whether it is this machine, as `npm start` runs it. */
  local: boolean
  health: Record<string, unknown>
  content: ChainContent | undefined
  /** Milliseconds. */
  now: number
}

const MAX_TXIDS = 100

/** @throws {ProbeError} where nothing can be checked @throws {UnreachableError} */
export async function readTarget(address: string, content: string | undefined, ask: Ask, now: number): Promise<Target> {
  const api = URL.parse(address)
  if (!api || !/^https?:$/.test(api.protocol) || api.pathname !== '/' || api.search || api.username) {
    throw new ProbeError(`${address} is not the address of a service, such as https://api.hookline.io`)
  }
  if (api.protocol === 'http:' && !isThisMachine(api)) {
    throw new ProbeError(`${address}: a service elsewhere than on this machine is reached by https`)
  }
  const given = content === undefined ? undefined : parseContent(content)
  const settings = jsonOf(await ask(new URL('/console/settings', api)))
  const health = jsonOf(await ask(new URL('/v0/health', api)))
  const storage = URL.parse(String(settings?.storageOrigin))
  if (!storage || !health) throw new ProbeError(`${api.origin} does not answer as a Hookline does: look at its log`)
  const letter = isRecord(settings?.letter) ? readContent(settings.letter.blockchain, settings.letter.txids) : undefined
  return { ask, api, storage, local: isThisMachine(api), health, content: given ?? letter, now }
}

/** `Bitcoin:<txid>,<txid>` */
function parseContent(text: string): ChainContent {
  const [blockchain, list = ''] = text.split(':')
  const read = readContent(blockchain, list.split(','))
  if (read) return read
  throw new ProbeError(
    `--content ${text} is not <chain>:<txid>,<txid>…: one of ${BLOCKCHAINS.join(', ')}, and 1 to ${MAX_TXIDS} ids`,
  )
}

function readContent(name: unknown, list: unknown): ChainContent | undefined {
  const blockchain = BLOCKCHAINS.find((one) => one === name)
  const txids: string[] = Array.isArray(list) ? list.map(String) : []
  const isRight = txids.length > 0 && txids.length <= MAX_TXIDS && txids.every((txid) => /^[0-9a-f]{64}$/i.test(txid))
  return blockchain && isRight ? { blockchain, txids } : undefined
}

/** The object in an answer; `undefined` where there is none. */
export function jsonOf({ body }: Answer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
