import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, fromHex, toHex } from '../protocol/bytes.ts'
import type { Blockchain } from '../protocol/chains.ts'
import { decodeContentIndex } from '../protocol/content-index.ts'
import { opReturnData } from '../protocol/op-return.ts'
import { stripTransaction } from '../protocol/transaction.ts'
import { verifyTransactions } from '../reader/chain/verify-transaction.ts'
import type { FetchOptions, FetchRequest } from '../reader/fetch-bytes.ts'
import { fetchWithRetries } from '../reader/fetch-with-retries.ts'
import { inGroups } from '../reader/in-groups.ts'
import { workOf } from '../reader/proof/chain-work.ts'
import type { Checkpoint } from '../reader/proof/checkpoint.ts'
import { parseProof } from '../reader/proof/parse-proof.ts'
import { parseRequired, satisfies, weakest } from '../reader/proof/required-state.ts'
import { type Proven, verifyProof } from '../reader/proof/verify-proof.ts'
import { readWhole } from '../reader/read-whole.ts'
import { ReaderError } from '../reader/reader-error.ts'
import { anonymousFetch } from './anonymous-fetch.ts'
import { releasedCheckpoints } from './released-checkpoints.ts'
import { parseSavedProof, type SavedProof } from './saved-proof.ts'

/** Transactions of one request: the service reads at most so many blocks for one. */
const AT_ONCE = 32
const MAX_ANSWER_BYTES = 16 << 20
/** Raw transactions of one content: as many bytes as a service serves. */
const MAX_RAW_BYTES = 64 << 20

/** What a proof is checked with, and how much it must prove. */
export interface ProofRules {
  /**
   * The pinned block of the chain: from a node of your own (`npm run checkpoint`), or from somebody whom you trust. Default: that
   * of whoever released this package, if it has one of the chain.
   */
  checkpoint?: Checkpoint | undefined
  /** `buried`, or `worked` with the number of headers that must have work, 1 to 12, else 6. Default: `worked`. */
  state?: string | undefined
  /** Milliseconds since 1970. Default: now. */
  now?: number | undefined
}

export interface ProveOptions extends ProofRules {
  /** Address of any host with the API. What it answers is checked, not trusted. */
  api: string | URL
  fetch?: FetchOptions['fetch'] | undefined
  signal?: AbortSignal | undefined
  /** Milliseconds without a byte after which the host counts as unreachable. */
  silence?: number | undefined
}

/** What was proven of all transactions of a content: of the one of which least is. */
export type { Proven } from '../reader/proof/verify-proof.ts'

/**
 * Proves that transactions are mined, those of a content or others, by the rules of docs/formats.md. Of an index transaction that is named
 * alone its parts are proven too. `saved` can be checked again without a network.
 * @throws {ReaderError} `not_proven`, `invalid_source`, and those of reading
 */
export async function prove(
  source: { blockchain: Blockchain; txids: readonly string[] },
  options: ProveOptions,
): Promise<{ proven: Proven; saved: SavedProof }> {
  const { api, fetch = anonymousFetch, signal, silence = 30_000 } = options
  const base = String(api).replace(/\/+$/, '')
  const read = async (request: FetchRequest) => readWhole(fetchWithRetries(request, { fetch, signal, silence }))
  const { depth } = requiredOf(options)
  const { blockchain } = source
  const { height } = checkpointOf(blockchain, options)
  const readProof = async (url: string) => {
    const request = (query: string) => ({ url: url + query, maxBytes: MAX_ANSWER_BYTES })
    try {
      return await read(request(`&checkpoint=${height}`))
    } catch (error) {
      // Whether it does not know the checkpoint or the transaction: above the checkpoint it is not needed.
      if (!(error instanceof ReaderError && error.code === 'not_found')) throw error
      return await read(request(''))
    }
  }
  const readRaw = async (url: string, maxBytes: number) => {
    try {
      return await read({ url, maxBytes })
    } catch (error) {
      // The name of a content has data in each transaction; a payment has none, and is mined as well.
      if (!(error instanceof ReaderError && error.code === 'not_found')) throw error
      return await read({ url: `${url}?any=1`, maxBytes })
    }
  }
  const txids = [...new Set(source.txids.map((txid) => txid.toLowerCase()))]
  if (txids.length === 0 || !txids.every((txid) => /^[0-9a-f]{64}$/.test(txid))) {
    throw new ReaderError('invalid_source', 'There must be at least one txid, each of 64 hex digits.')
  }
  const transactions = new Map<string, Uint8Array>()
  const proofs: object[] = []
  let left = MAX_RAW_BYTES
  const take = async (wanted: readonly string[]) => {
    for (const group of inGroups(wanted, AT_ONCE)) {
      const path = `${blockchain}/${group.join(',')}`
      const raw = await readRaw(`${base}/v0/tx/${path}`, left)
      const proof = await readProof(`${base}/v0/proof/${path}?depth=${depth}`)
      left -= raw.length
      for (const { txid, bytes } of await verifyTransactions(raw, group, sha256)) transactions.set(txid, bytes)
      proofs.push(parseJson(proof))
    }
  }
  await take(txids)
  await take(partsOf(txids, transactions).filter((txid) => !transactions.has(txid)))
  const hex = Object.fromEntries([...transactions].map(([txid, bytes]) => [txid, toHex(bytes)]))
  const saved: SavedProof = { format: 'hookline proof', version: 1, blockchain, txids, transactions: hex, proofs }
  return { proven: verifySavedProof(saved, options), saved }
}

/**
 * Checks a saved proof, without a network, and says what it proves of all its transactions together.
 * @throws {ReaderError} `not_proven`, `invalid_source` for rules that cannot be
 */
export function verifySavedProof(value: object | null, rules: ProofRules): Proven {
  const { blockchain, txids, transactions: hex, proofs } = parseSavedProof(value)
  const { required } = requiredOf(rules)
  const transactions = new Map(Object.entries(hex).map(([txid, text]) => [txid, fromHex(text) ?? new Uint8Array(0)]))
  const checkpoint = checkpointOf(blockchain, rules)
  const checking = { work: workOf(blockchain), checkpoint, now: Math.floor((rules.now ?? Date.now()) / 1000) }
  const found = new Map<string, Proven>()
  for (const proof of proofs) {
    const named = parseProof(proof).flatMap((block) => block.transactions.map(({ txid }) => txid))
    const own = new Map(named.map((txid) => [txid, transactions.get(txid) ?? new Uint8Array(0)]))
    for (const [txid, proven] of verifyProof(proof, own, checking)) found.set(txid, proven)
  }
  const wanted = [...txids, ...partsOf(txids, transactions)]
  const [first, ...rest] = wanted.map((txid) => {
    return found.get(txid) ?? refuse(`The proof has no transaction ${txid}.`)
  })
  if (!first) return refuse('The proof names no transaction.')
  const proven = weakest([first, ...rest])
  if (satisfies(proven, required)) return proven
  return refuse(`Not ${rules.state ?? 'worked'}: what is proven is ${proven.state} ${proven.depth}.`)
}

function refuse(message: string): never {
  throw new ReaderError('not_proven', message)
}

function checkpointOf(blockchain: Blockchain, { checkpoint }: ProofRules): Checkpoint {
  const pinned = checkpoint ?? releasedCheckpoints()[blockchain]
  if (pinned) return pinned
  throw new ReaderError(
    'invalid_source',
    `This build has no checkpoint of ${blockchain}: pass one as \`checkpoint\`, which npm run checkpoint makes from a node.`,
  )
}

function requiredOf({ state = 'worked' }: Pick<ProofRules, 'state'>) {
  const required = parseRequired(state)
  if (!required) throw new ReaderError('invalid_source', `${state.slice(0, 40)} is neither buried, nor worked 1 to 12.`)
  return { required, depth: required.state === 'worked' ? required.depth : 1 }
}

/** The parts that the one transaction of a content names, if it is an index. */
function partsOf(txids: readonly string[], transactions: ReadonlyMap<string, Uint8Array>): readonly string[] {
  const [txid] = txids
  const bytes = txids.length === 1 && txid !== undefined ? transactions.get(txid) : undefined
  const pushes = bytes && opReturnData(stripTransaction(bytes).scripts)
  return (pushes && decodeContentIndex(concatBytes(pushes))?.parts) ?? []
}

function parseJson(bytes: Uint8Array): object {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new ReaderError('not_proven', 'The proof is not JSON.', cause)
  }
  if (typeof value === 'object' && value !== null) return value
  throw new ReaderError('not_proven', 'The proof is no object.')
}
