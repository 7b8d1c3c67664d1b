import { toHex } from '../../../protocol/bytes.ts'
import { type Blockchain, CHAINS } from '../../../protocol/chains.ts'
import { writeOpReturn } from '../../../protocol/op-return.ts'
import { encodeTransaction } from '../../../protocol/transaction.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import type { RpcOutcome } from './rpc-transport.ts'
import { asList, asObject, type WalletRpc } from './wallet-rpc.ts'

/** What Bitcoin Core and its descendants call it that a transaction or its data is larger than their policy takes. */
const TOO_LARGE = /tx-size|scriptpubkey|datacarrier/

/** How long what a node said is believed, in milliseconds: its settings change with a restart. */
const FRESH_MS = 600_000

/** What was found of each chain's node: `takes` bytes, where that is less than was asked about. */
const found = new MemoryCache<{ dataBytes: number; at: number; takes: number | undefined }>(0)

/**
 * Why nothing can be written with `dataBytes` bytes in one transaction: the node's policy takes less, as a sentence for the
 * operator. `undefined` where it takes that, or can't be asked (nodes of the 1.14 family). `now` in milliseconds.
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

/** The most data that the node takes in one transaction, where that is less than `dataBytes`. */
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
 * A transaction of the size of one that carries so much data. What it spends does not exist: a node looks at its size and its
 * outputs before that.
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
