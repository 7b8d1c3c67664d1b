import type { RpcEndpoint } from '../../platform/config/parse-setting.ts'
import { noSuchPath } from '../../platform/http/errors.ts'
import { readBestBlock, readBestHeights, readBlockHashes, readHeaders } from './block-methods.ts'
import { requestFromNodes } from './rpc-policy.ts'
import { NodeError, postBatch } from './rpc-transport.ts'
import { asObject, asText, RpcError, resultOf, type WalletRpc } from './wallet-rpc.ts'

/** The largest answer of a node, in bytes of JSON: a transaction under 4 MB as hex, and its witness again. */
const MAX_ANSWER = 24 << 20

/** A block of the best chain; `time` in Unix seconds, as its miner said. */
export interface Place {
  height: number
  hash: string
  time: number
}

/** The best block, or the one at a height. @throws {AppError} 404 above the best block; 502, 503, 504 */
export async function readTip(nodes: readonly RpcEndpoint[], height?: number): Promise<Place> {
  const place = await fromNodes(nodes, async (rpc) => {
    const best = height === undefined ? await readBestBlock(rpc) : undefined
    const [hash] = best ? [best.hash] : await readBlockHashes(rpc, [height ?? 0])
    if (hash === undefined) return undefined
    const [header] = await readHeaders(rpc, [hash])
    return { height: best?.height ?? height ?? 0, hash, time: header?.time ?? 0 }
  })
  if (!place) throw noSuchPath()
  return place
}

/** The block that has a transaction; `undefined` where it waits to be mined. @throws {AppError} 502, 503, 504 */
export async function readPlaceOf(nodes: readonly RpcEndpoint[], txid: string): Promise<Place | undefined> {
  return await fromNodes(nodes, async (rpc) => {
    const [outcome] = await rpc([{ method: 'getrawtransaction', params: [txid, true] }])
    const { blockhash } = asObject(resultOf('getrawtransaction', outcome), 'getrawtransaction')
    if (blockhash === undefined) return undefined
    const hash = asText(blockhash, 'blockhash')
    const height = (await readBestHeights(rpc, [hash])).get(hash)
    const [header] = await readHeaders(rpc, [hash])
    return height === undefined || !header ? undefined : { height, hash, time: header.time }
  })
}

async function fromNodes<Result>(
  nodes: readonly RpcEndpoint[],
  read: (rpc: WalletRpc) => Promise<Result>,
): Promise<Result> {
  return await requestFromNodes(nodes, async (node, signal) => {
    try {
      return await read((calls) => postBatch(node, calls, { signal, maxBytes: MAX_ANSWER, literalNumbers: true }))
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause
      throw new NodeError('invalid_response', cause.message, { cause })
    }
  })
}
