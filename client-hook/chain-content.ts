import { concatBytes } from '../protocol/bytes.ts'
import type { Blockchain } from '../protocol/chains.ts'
import { opReturnData } from '../protocol/op-return.ts'
import { reverseHex, stripTransaction, type UnhashedTransaction } from '../protocol/transaction.ts'
import { transactionKey } from './content-key.ts'
import type { Database } from './database.ts'
import { download, refresh } from './download.ts'
import { HookError } from './hook-error.ts'
import type { Sha256 } from './sha256.ts'

/** Raw transactions of content that the API serves by default: four times 16 MiB. */
const LIMIT = 64 << 20
/** Most txids in a URL, so that it stays within 8 KB; longer lists are posted. */
const MOST_IN_URL = 100
/** Requests under way at once for one element of type `chunk`. */
const LANES = 6

/** Where chain content comes from. */
export interface ChainSource {
  base: string
  database: Database
  sha256: Sha256
}

export interface ChainRequest {
  blockchain: Blockchain
  txids: readonly string[]
  /** `chunk`: a request for each transaction, each kept on its own; `blob`: one for all that are missing. */
  mode: 'blob' | 'chunk'
  /** Transactions for `chunk`, bytes for `blob`. */
  onProgress(loaded: number, total: number | undefined): void
}

/**
 * What the transactions hold, joined in order and not decoded. Every transaction, from the network or from the
 * database, is hashed to its txid first.
 * @throws {HookError}
 */
export async function readChainContent(source: ChainSource, request: ChainRequest): Promise<Uint8Array> {
  const wanted = [...new Set(request.txids)]
  const verified = await readKept(source, wanted)
  const missing = wanted.filter((txid) => !verified.has(txid))
  if (request.mode === 'chunk') await fetchEach(source, request, missing, verified)
  else if (missing.length > 0) await fetchAll(source, request, missing, verified)
  return concatBytes(request.txids.flatMap((txid) => verified.get(txid)?.pushes ?? []))
}

interface Verified {
  bytes: Uint8Array
  pushes: Uint8Array[]
}

async function readKept({ database, sha256 }: ChainSource, txids: string[]): Promise<Map<string, Verified>> {
  const kept = await database.get(txids.map(transactionKey))
  const verified = new Map<string, Verified>()
  const broken: string[] = []
  await Promise.all(
    txids.map(async (txid, index) => {
      const bytes = kept[index]
      if (!bytes) return
      try {
        verified.set(txid, await verify(sha256, read(bytes, 0, txid), txid))
      } catch {
        broken.push(transactionKey(txid))
      }
    }),
  )
  if (broken.length > 0) await database.delete(broken)
  return verified
}

async function fetchAll(
  source: ChainSource,
  request: ChainRequest,
  missing: string[],
  verified: Map<string, Verified>,
) {
  const { blockchain } = request
  const long = missing.length > MOST_IN_URL
  const url = `${source.base}/v0/tx${long ? '' : `/${blockchain}/${missing}`}`
  const chunks = await download(url, {
    limit: LIMIT,
    ...(long && { body: { blockchain, txids: missing } }),
    ...(request.mode === 'blob' && { onProgress: request.onProgress }),
  })
  try {
    const arrived = await verifyAll(source.sha256, concatBytes(chunks), missing)
    for (const [txid, transaction] of arrived) verified.set(txid, transaction)
    // What is shown does not wait for what is kept.
    void source.database.put(arrived.map(([txid, { bytes }]) => [transactionKey(txid), bytes]))
  } catch (error) {
    if (!long) refresh(url)
    throw error
  }
}

async function verifyAll(
  sha256: Sha256,
  bytes: Uint8Array,
  txids: string[],
): Promise<(readonly [txid: string, Verified])[]> {
  let offset = 0
  const found = txids.map((txid) => {
    const transaction = read(bytes, offset, txid)
    offset = transaction.end
    return [txid, transaction] as const
  })
  if (offset !== bytes.length) throw mismatch('More bytes came than were asked for.')
  return Promise.all(found.map(async ([txid, transaction]) => [txid, await verify(sha256, transaction, txid)] as const))
}

async function fetchEach(
  source: ChainSource,
  request: ChainRequest,
  missing: string[],
  verified: Map<string, Verified>,
) {
  const total = new Set(request.txids).size
  let loaded = total - missing.length
  request.onProgress(loaded, total)
  const queue = [...missing]
  const lane = async () => {
    for (let txid = queue.shift(); txid !== undefined; txid = queue.shift()) {
      try {
        await fetchAll(source, request, [txid], verified)
      } catch (error) {
        queue.length = 0
        throw error
      }
      request.onProgress(++loaded, total)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

function read(bytes: Uint8Array, offset: number, txid: string) {
  try {
    return stripTransaction(bytes, offset)
  } catch (cause) {
    throw mismatch(`What came for ${txid} is no transaction.`, cause)
  }
}

async function verify(sha256: Sha256, { bytes, scripts }: UnhashedTransaction, txid: string): Promise<Verified> {
  const found = reverseHex(await sha256(await sha256(bytes)))
  if (found !== txid) throw mismatch(`What came for ${txid} is ${found}.`)
  const pushes = opReturnData(scripts)
  if (!pushes) throw new HookError('not_found', `Transaction ${txid} holds no data.`)
  return { bytes, pushes }
}

function mismatch(message: string, cause?: unknown): HookError {
  return new HookError('not_verified', message, { cause })
}
