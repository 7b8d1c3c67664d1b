import { concatBytes } from '../../protocol/bytes.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { decodeContentIndex } from '../../protocol/content-index.ts'
import { opReturnData } from '../../protocol/op-return.ts'
import { stripTransaction } from '../../protocol/transaction.ts'
import { verifyTransactions } from '../../reader/chain/verify-transaction.ts'
import { inGroups } from '../../reader/in-groups.ts'
import { splitParts } from '../../reader/inscriptions/split-parts.ts'
import type { Work } from '../../reader/proof/check-headers.ts'
import type { Checkpoint } from '../../reader/proof/checkpoint.ts'
import { sha256d } from '../../reader/proof/fold-branch.ts'
import type { Checkpoints } from '../../reader/proof/parse-checkpoints.ts'
import { parseProof } from '../../reader/proof/parse-proof.ts'
import { refuse } from '../../reader/proof/refuse.ts'
import { satisfies, weakest } from '../../reader/proof/required-state.ts'
import { type Proven, proveSteps } from '../../reader/proof/verify-proof.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { transactionKey } from '../chain-content.ts'
import type { FillRequest } from '../elements.ts'
import type { SourceAnswer } from '../fetch-from.ts'
import { yieldToPage } from '../ipfs/yield-to-page.ts'
import type { FollowProven, PartTools } from '../part-tools.ts'
import { KeptProofs } from './kept-proofs.ts'

/** Transactions of one request: the service reads at most so many blocks for one. */
const AT_ONCE = 32
const MAX_PROOF_BYTES = 16 << 20
/** As the API serves at most. */
const MAX_RAW_BYTES = 64 << 20

/** Content of a chain, and how many headers of each block must have work. */
export interface Request extends Pick<FillRequest, 'sources' | 'gateways' | 'reload' | 'any'> {
  blockchain: Blockchain
  depth: number
}

/** What is proven of all transactions of a content together. */
export interface Found {
  proven: Proven
  /** When the oldest of their proofs was asked for, in ms since 1970. */
  asked: number
  /** Those that an index names among them. */
  txids: readonly string[]
}

// The build inserts its SHA-256 here, in base64.
declare const SCRYPT_PART: string

type Transactions = Map<string, Uint8Array>

/** Proves content, with proofs that are kept or fetched. */
export class ContentProver {
  readonly #tools: PartTools
  readonly #pinned: Checkpoints
  readonly #kept: KeptProofs
  /** Answers that were asked for before their content was there, by path. */
  readonly #begun = new Map<string, Promise<SourceAnswer>>()

  constructor(tools: PartTools, pinned: Checkpoints) {
    this.#tools = tools
    this.#pinned = pinned
    this.#kept = new KeptProofs(tools.database)
  }

  /** Begins to fetch what {@link prove} will need, unless it is kept. */
  begin(request: Request): void {
    const txids = [...new Set(request.sources)]
    const begun = this.#kept.read(request.reload ? [] : txids).then((kept) => {
      for (const group of inGroups(
        txids.filter((txid) => !kept.has(txid)),
        AT_ONCE,
      )) {
        const path = this.#pathOf(request, group)
        if (this.#begun.has(path)) continue
        const answer = this.#tools.fetchAny(this.#sourceRequest(request, path))
        answer.catch(() => {})
        this.#begun.set(path, answer)
      }
    })
    // What fails here fails again where it is needed.
    begun.catch(() => {})
  }

  /** Proves a content, that of an index with its parts. @throws {ReaderError} */
  async prove(request: Request): Promise<Found> {
    const txids = [...new Set(request.sources)]
    const transactions = await this.#readTransactions(request, txids)
    const found = await this.#proveAll(request, txids, transactions)
    const [only] = txids
    const parts = txids.length === 1 ? partsOf(transactions.get(only ?? '')) : []
    if (parts.length > 0) {
      const read = await this.#readTransactions(request, parts)
      found.push(...(await this.#proveAll(request, parts, read)))
    }
    const [first, ...rest] = found
    if (!first) refuse('There is no transaction.')
    return {
      proven: weakest([first.proven, ...rest.map(({ proven }) => proven)]),
      asked: Math.min(...found.map(({ asked }) => asked)),
      txids: [...txids, ...parts],
    }
  }

  /** {@link FollowProven} @throws {ReaderError} */
  readonly follow: FollowProven = async ({ gateways, reload, signal }, txid) => {
    const path = `/v0/tx/Dogecoin/${txid}?any=1&parts=1`
    const request = { kind: 'chain', path, gateways, reload, signal, limit: MAX_RAW_BYTES } as const
    for (let answer = await this.#tools.fetchAny(request); ; ) {
      try {
        const later = splitParts(concatBytes(answer.chunks), txid)
        await this.#tools.database.put(later.map((one) => [transactionKey(one.txid), one.bytes]))
        const sources = later.map((one) => one.txid)
        if (sources.length === 0) return sources
        const { proven } = await this.prove({ blockchain: 'Dogecoin', sources, gateways, reload, any: true, depth: 6 })
        if (satisfies(proven, { state: 'worked', depth: 6 })) return sources
        refuse(`Of ${txid}i0 not all later transactions are buried, or worked 6.`)
      } catch (error) {
        if (!(error instanceof ReaderError || isNotFound(error))) throw error
        answer = await answer.refuse(error)
      }
    }
  }

  /** Notes that the proofs of transactions are asked for at a time. */
  async postpone(txids: readonly string[], asked: number): Promise<void> {
    for (const { proof } of (await this.#kept.read(txids)).values()) await this.#kept.write(proof, asked)
  }

  /** Removes what is kept of transactions. */
  async forget(txids: readonly string[]): Promise<void> {
    await this.#kept.remove(txids)
  }

  async #proveAll(request: Request, txids: readonly string[], transactions: Transactions) {
    const found: { proven: Proven; asked: number }[] = []
    const missing: string[] = []
    /** Of fewer headers than asked for: there may be more by now. */
    const shallow = new Map<string, { proven: Proven; asked: number }>()
    const kept = await this.#kept.read(request.reload ? [] : txids)
    for (const txid of txids) {
      const known = kept.get(txid)
      const proven =
        known && (await this.#check(known.proof, only(transactions, [txid]), request).catch(() => undefined))
      const proof = proven?.get(txid)
      const one = known && proof && { proven: proof, asked: known.asked }
      if (one && (proof.state === 'buried' || proof.depth >= request.depth)) {
        found.push(one)
        continue
      }
      if (one) shallow.set(txid, one)
      missing.push(txid)
    }
    for (const group of inGroups(missing, AT_ONCE)) {
      const own = only(transactions, group)
      try {
        const { proven, proof } = await this.#fetch(request, group, own)
        const asked = Date.now()
        for (const one of proven.values()) found.push({ proven: one, asked })
        await this.#kept.write(proof, asked)
      } catch (error) {
        const rest = group.flatMap((txid) => shallow.get(txid) ?? [])
        if (isNotFound(error) || rest.length < group.length) throw error
        found.push(...rest)
      }
    }
    return found
  }

  async #fetch(request: Request, group: readonly string[], own: Transactions) {
    const path = this.#pathOf(request, group)
    const begun = this.#begun.get(path)
    this.#begun.delete(path)
    const ask = () => this.#tools.fetchAny(this.#sourceRequest(request, path))
    for (let answer = await (begun ?? ask()); ; ) {
      try {
        const proof = parseJson(concatBytes(answer.chunks))
        return { proof, proven: await this.#check(proof, own, request) }
      } catch (error) {
        if (!(error instanceof ReaderError)) throw error
        answer = await answer.refuse(error)
      }
    }
  }

  /** Those of the database; others are in the browser's cache by the same address, unless it has neither. */
  async #readTransactions(request: Request, txids: readonly string[]): Promise<Transactions> {
    const stored = await this.#tools.database.get(txids.map(transactionKey))
    const found: Transactions = new Map()
    for (const [index, txid] of txids.entries()) {
      const bytes = stored[index]
      if (bytes) found.set(txid, bytes)
    }
    const missing = txids.filter((txid) => !found.has(txid))
    for (const group of inGroups(missing, 100)) {
      const path = `/v0/tx/${request.blockchain}/${group}${request.any ? '?any=1' : ''}`
      const { chunks } = await this.#tools.fetchAny({
        ...this.#sourceRequest({ ...request, reload: false }, path),
        limit: MAX_RAW_BYTES,
      })
      for (const { txid, bytes } of await verifyTransactions(concatBytes(chunks), group, this.#tools.sha256)) {
        found.set(txid, bytes)
      }
    }
    return found
  }

  #pathOf({ blockchain, depth }: Request, group: readonly string[]): string {
    return `/v0/proof/${blockchain}/${group}?checkpoint=${this.#checkpointOf(blockchain).height}&depth=${depth}`
  }

  #sourceRequest({ gateways, reload }: Request, path: string) {
    return { kind: 'chain', path, gateways, reload, limit: MAX_PROOF_BYTES } as const
  }

  #checkpointOf(blockchain: Blockchain): Checkpoint {
    return this.#pinned[blockchain] ?? refuse(`This page helper has no checkpoint of ${blockchain}.`)
  }

  /** {@link proveSteps}, with pauses for the page. @throws {ReaderError} `not_proven` */
  async #check(proof: object, transactions: Transactions, { blockchain }: Request): Promise<Map<string, Proven>> {
    const checkpoint = this.#checkpointOf(blockchain)
    const isAbove = parseProof(proof).some((block) => !block.checkpoint)
    const rules = { work: isAbove ? await this.#workOf(blockchain) : undefined, checkpoint, now: Date.now() / 1000 }
    const steps = proveSteps(proof, transactions, rules)
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      await yieldToPage()
    }
  }

  async #workOf(blockchain: Blockchain): Promise<Work | undefined> {
    if (blockchain === 'Dogecoin') return await this.#tools.part('scrypt', SCRYPT_PART)()
    return blockchain === 'Bitcoin' ? { hash: sha256d } : undefined
  }
}

/** By code: errors of other scripts are of other classes. */
export function isNotFound(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'not_found'
}

function only(transactions: Transactions, txids: readonly string[]): Transactions {
  return new Map(txids.map((txid) => [txid, transactions.get(txid) ?? new Uint8Array(0)]))
}

/** The parts that the one transaction of a content names, if it is an index. */
function partsOf(bytes: Uint8Array | undefined): readonly string[] {
  const pushes = bytes && opReturnData(stripTransaction(bytes).scripts)
  return (pushes && decodeContentIndex(concatBytes(pushes))?.parts) ?? []
}

function parseJson(bytes: Uint8Array): object {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    refuse('The proof is not JSON.', cause)
  }
  return refuse('The proof is no object.')
}
