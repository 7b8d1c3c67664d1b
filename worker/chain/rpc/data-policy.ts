import { toHex } from '../../../protocol/bytes.ts'
import { type Blockchain, CHAINS } from '../../../protocol/chains.ts'
import { writeOpReturn } from '../../../protocol/op-return.ts'
import { encodeTransaction } from '../../../protocol/transaction.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import type { RpcOutcome } from './rpc-transport.ts'
import { asList, asObject, type WalletRpc } from './wallet-rpc.ts'

/** The reject reasons of Bitcoin Core and its descendants for a transaction or data larger than their policy allows. */
const TOO_LARGE = /tx-size|scriptpubkey|datacarrier/

/** How long the policy of a node is cached, in milliseconds: a restart can change it. */
const FRESH_MS = 600_000

/** The policy of each chain's node: `takes` is the most data it accepts (bytes), if that is less than `dataBytes`. */
const found = new MemoryCache<{ dataBytes: number; at: number; takes: number | undefined }>(0)

/**
 * Why a transaction with `dataBytes` bytes of data can't be sent: the node's policy allows less. A sentence for the operator;
 * `undefined` if the policy allows it, or can't be read (nodes of the 1.14 family). `now` in milliseconds.
 * @throws {NodeError}
 */
export async function findPolicyProblem(
  rpc: WalletRpc,
  blockchain: Blockchain,
  dataBytes: number,
  now: number,
): Promise<string | undefined> {
  const known = found.get(blockchain)
  const isFresh = known?.dataBytes === dataBytes && Math.abs(now - known.at) < FRESH_MS
  const takes = isFresh ? known.takes : await readMostData(rpc, blockchain, dataBytes)
  if (!isFresh) found.set(blockchain, { dataBytes, at: now, takes }, 0)
  if (takes === undefined) return undefined
  return `the node's policy takes ${takes} bytes of data in one transaction, and MAX_DATA_BYTES is ${dataBytes}`
}

/** The most data that the node accepts in one transaction, if that is less than `dataBytes`. */
async function readMostData(rpc: WalletRpc, blockchain: Blockchain, dataBytes: number): Promise<number | undefined> {
  const takes = async (length: number) => {
    const [outcome] = await rpc([{ method: 'testmempoolaccept', params: [[toHex(probe(blockchain, length))]] }])
    return !isTooLarge(outcome)
  }
  if (await takes(dataBytes)) return undefined
  let most = 0
  for (let above = dataBytes; above - most > 1; ) {
    const middle = Math.floor((most + above) / 2)
    if (await takes(middle)) most = middle
    else above = middle
  }
  return most
}

function isTooLarge(outcome: RpcOutcome | undefined): boolean {
  if (!outcome || 'error' in outcome) return false
  const [tested] = asList(outcome.result, 'testmempoolaccept')
  const reason = asObject(tested, 'testmempoolaccept')['reject-reason']
  return typeof reason === 'string' && TOO_LARGE.test(reason)
}

/**
 * A transaction with that much data. Its input does not exist: a node checks the size and the outputs before the inputs.
 */
function probe(blockchain: Blockchain, dataBytes: number): Uint8Array {
  const { segwit, dust } = CHAINS[blockchain]
  const [signature, key] = [new Uint8Array(72), new Uint8Array(33)]
  const signed = segwit
    ? { script: new Uint8Array(0), witness: [signature, key] }
    : { script: Uint8Array.from([signature.length, ...signature, key.length, ...key]), witness: [] }
  const change = Uint8Array.from(
    segwit ? [0x00, 20, ...new Uint8Array(20)] : [0x76, 0xa9, 20, ...new Uint8Array(20), 0x88, 0xac],
  )
  return encodeTransaction({
    version: segwit ? 2 : 1,
    inputs: [{ txid: '11'.repeat(32), vout: 0, sequence: 0xffff_ffff, ...signed }],
    outputs: [
      { value: 0n, script: writeOpReturn(new Uint8Array(dataBytes)) },
      { value: 100n * dust, script: change },
    ],
    lockTime: 0,
  })
}
