import { formatAmount } from '../../../protocol/amount.ts'
import { type Blockchain, CHAINS } from '../../../protocol/chains.ts'
import { meaningOf } from '../../../protocol/node-refusals.ts'
import { readStripped, TransactionError } from '../../../protocol/transaction.ts'
import { NodeError, type RpcOutcome } from './rpc-transport.ts'
import {
  asAmount,
  asInteger,
  asList,
  asObject,
  asText,
  requestInParts,
  resultOf,
  type WalletRpc,
} from './wallet-rpc.ts'

/** A payment to the wallet, as the node reports it; only the raw transaction is proof. */
export interface WalletEntry {
  txid: string
  address: string
  blockHash: string | undefined
  /** When the node first met it, milliseconds: in the mempool, or, where it was down then, by its block. */
  seenAt: number
  /** Label of the address in the wallet: that of nodes of the 1.14 family is called its account. */
  label: string | undefined
}

/** Receives some entries of a wallet's history; the next are read when it has resolved. */
type TakeEntries<Entry> = (entries: Entry[]) => Promise<void>

/** What a transaction of the wallet paid to others, without the network's fee, in base units. */
export interface WalletSend {
  txid: string
  amount: bigint
}

/** What a part of a wallet's history says beside its payments. */
export interface WalletHistory {
  /** The block of every listed transaction by txid, also of those that only pay others. */
  listed: Map<string, string | undefined>
  /** What left the wallet; what pays nobody is left out, and what conflicts with a block. */
  sends: WalletSend[]
}

/**
 * The history of the wallet in blocks after `hash` (without it, in any block), and what has no block. Passes on all payments to the
 * wallet, as they arrive.
 * @throws {NodeError} `too_large` if the answer is over its limit. {@link RpcError}
 */
export async function listHistorySince(
  rpc: WalletRpc,
  hash: string | undefined,
  take: TakeEntries<WalletEntry>,
): Promise<WalletHistory> {
  const listed = new Map<string, string | undefined>()
  const sent = new Map<string, bigint>()
  // Each entry names its block in a text of its own: one of them is held.
  const hashes = new Map<string, string>()
  await foldHistory(rpc, hash, async (items) => {
    const entries = items.flatMap(
      ({
        category,
        address,
        txid: name,
        amount,
        confirmations,
        blockhash,
        blocktime,
        timereceived,
        label,
        account,
      }) => {
        const txid = asText(name, 'txid')
        const blockHash = typeof blockhash === 'string' ? (hashes.get(blockhash) ?? blockhash) : undefined
        if (blockHash !== undefined) hashes.set(blockHash, blockHash)
        listed.set(txid, blockHash)
        if (category === 'send') {
          const paid = -asAmount(amount, 'amount')
          // Negative if a conflicting transaction is in a block.
          if (paid > 0n && asInteger(confirmations, 'confirmations') >= 0) sent.set(txid, (sent.get(txid) ?? 0n) + paid)
          return []
        }
        if (typeof address !== 'string') return []
        const named = typeof label === 'string' ? label : account
        const seenAt = firstSeen(timereceived, blocktime)
        return { txid, address, blockHash, seenAt, label: typeof named === 'string' ? named : undefined }
      },
    )
    if (entries.length > 0) await take(entries)
  })
  return { listed, sends: [...sent].map(([txid, amount]) => ({ txid, amount })) }
}

/** Hands over the entries of the wallet's history in blocks after `hash`, or in all without one, and those without a block, as they arrive. */
async function foldHistory(
  rpc: WalletRpc,
  hash: string | undefined,
  take: (items: Record<string, unknown>[]) => Promise<void>,
): Promise<void> {
  const takeList = async (list: unknown[]) => await take(list.map((item) => asObject(item, 'transactions')))
  const call = { method: 'listsinceblock', params: hash === undefined ? [] : [hash] }
  const [outcome] = await rpc([call], { fold: { list: 'transactions', take: takeList } })
  const { transactions } = asObject(resultOf('listsinceblock', outcome), 'listsinceblock')
  // The entries that were not passed on yet: none if the answer was read from a network.
  await takeList(asList(transactions, 'transactions'))
}

/** Money that the wallet received in a block; `amount` in base units. */
export interface Receipt {
  address: string
  amount: bigint
}

/**
 * Passes on everything that the wallet has received in blocks of the best chain, one receipt for each output, as it arrives.
 * @throws {NodeError} {@link RpcError}
 */
export async function listReceipts(rpc: WalletRpc, take: TakeEntries<Receipt>): Promise<void> {
  await foldHistory(rpc, undefined, async (items) => {
    const receipts = items.flatMap(({ category, address, amount, confirmations }) => {
      const received = category === 'receive' || category === 'generate' || category === 'immature'
      if (!received || typeof address !== 'string' || asInteger(confirmations, 'confirmations') < 1) return []
      return { address, amount: asAmount(amount, 'amount') }
    })
    if (receipts.length > 0) await take(receipts)
  })
}

/** The earlier of both, in milliseconds: a wallet that was restored receives again what a block had long before. */
function firstSeen(timereceived: unknown, blocktime: unknown): number {
  return 1000 * Math.min(...[timereceived, ...(blocktime === undefined ? [] : [blocktime])].map(asSeconds))
}

function asSeconds(value: unknown): number {
  return asInteger(value, 'time')
}

/** One of the wallet's transactions, as the wallet reports it. */
export interface WalletTransaction {
  bytes: Uint8Array
  blockHash: string | undefined
  /** Below zero where a transaction that conflicts with it is in a block. */
  confirmations: number
  /** Its operator had the wallet forget it: it is not to be sent any more. */
  abandoned: boolean
  /** When the node first met it, milliseconds, as of a {@link WalletEntry}; `undefined` where it does not say. */
  seenAt: number | undefined
  /** Conflicting transactions of the wallet: those that it replaced, or that replaced it. */
  conflicts: string[]
}

/** The most conflicting transactions that are read of one: each is one more replacement with a higher fee. */
const MAX_CONFLICTS = 20

/** Transactions of the wallet, hashed again here; `undefined` for unknown ones. @throws {NodeError} */
export async function readWalletTransactions(
  rpc: WalletRpc,
  txids: readonly string[],
): Promise<(WalletTransaction | undefined)[]> {
  const calls = txids.map((txid) => ({ method: 'gettransaction', params: [txid] }))
  const outcomes = await requestInParts(rpc, calls, TRANSACTIONS_PER_REQUEST)
  return outcomes.map((outcome, index) => {
    if ('error' in outcome && meaningOf('gettransaction', outcome.error) === 'absent') return undefined
    const answer = asObject(resultOf('gettransaction', outcome), 'gettransaction')
    const { hex, blockhash, confirmations, details = [], timereceived, blocktime, walletconflicts = [] } = answer
    const bytes = Buffer.from(asText(hex, 'hex'), 'hex')
    checkTxid(bytes, txids[index] ?? '')
    return {
      bytes,
      blockHash: typeof blockhash === 'string' ? blockhash : undefined,
      confirmations: asInteger(confirmations, 'confirmations'),
      abandoned: asList(details, 'details').some((detail) => asObject(detail, 'details').abandoned === true),
      seenAt: timereceived === undefined ? undefined : firstSeen(timereceived, blocktime),
      conflicts: asList(walletconflicts, 'walletconflicts')
        .slice(0, MAX_CONFLICTS)
        .map((txid) => asText(txid, 'walletconflicts')),
    }
  })
}

function checkTxid(bytes: Uint8Array, txid: string): void {
  try {
    if (readStripped(bytes).txid === txid) return
  } catch (cause) {
    if (!(cause instanceof TransactionError)) throw cause
  }
  throw new NodeError('invalid_response', `The node returned another transaction for ${txid}.`)
}

/** Transactions of one request: 200 of the largest, in hex, are some 40 MB. */
const TRANSACTIONS_PER_REQUEST = 200
/** Mempool entries in one request: each has some 130 bytes, and nodes accept requests of 2 MiB. */
const ENTRIES_PER_REQUEST = 5_000

/** Which of `txids` are in the node's mempool. */
export async function readInMempool(rpc: WalletRpc, txids: readonly string[]): Promise<Set<string>> {
  const calls = txids.map((txid) => ({ method: 'getmempoolentry', params: [txid] }))
  const outcomes = await requestInParts(rpc, calls, ENTRIES_PER_REQUEST)
  const found = txids.filter((_, index) => {
    const outcome = outcomes[index]
    if (outcome && 'error' in outcome && meaningOf('getmempoolentry', outcome.error) === 'absent') return false
    resultOf('getmempoolentry', outcome)
    return true
  })
  return new Set(found)
}

/** An output that a transaction to be signed spends, which the node may not know yet. */
export interface SpentOutput {
  txid: string
  vout: number
  script: string
  value: bigint
}

/** The wallet can't sign one transaction: an input is not its own, or is already spent. */
export class SigningError extends Error {
  override name = 'SigningError'
}

/** What is wrong with the wallet as a whole: it is locked, not there, or not named. */
const WALLET_ERRORS = new Set([-4, -13, -18, -19])

/**
 * Has the wallet sign transactions, `hex` each; an outcome for each: the signed hex, or why it can't be signed.
 * @throws {NodeError} {@link RpcError} when the wallet is locked or missing.
 */
export async function signTransactions(
  rpc: WalletRpc,
  blockchain: Blockchain,
  transactions: readonly { hex: string; spent: readonly SpentOutput[] }[],
): Promise<(string | SigningError)[]> {
  const method = CHAINS[blockchain].segwit ? 'signrawtransactionwithwallet' : 'signrawtransaction'
  const outcomes = await rpc(
    transactions.map(({ hex, spent }) => {
      // As text: a JSON number is a double for any program in between. AmountFromValue accepts both.
      const previous = spent.map(({ txid, vout, script, value }) => {
        return { txid, vout, scriptPubKey: script, amount: formatAmount(value) }
      })
      return { method, params: [hex, previous] }
    }),
  )
  return outcomes.map((outcome) => {
    if ('error' in outcome && !WALLET_ERRORS.has(outcome.error.code)) return new SigningError(outcome.error.message)
    const signed = asObject(resultOf(method, outcome), method)
    if (signed.complete !== true) return new SigningError('The wallet could not sign a transaction completely.')
    return asText(signed.hex, 'hex')
  })
}

/**
 * Sends transactions in order, in one request; never repeated by the transport. One with `anyFee` pays for others too, so the
 * node accepts it even above its limit of fee rates (`maxfeerate`). @throws {NodeError}
 */
export function sendTransactions(
  rpc: WalletRpc,
  blockchain: Blockchain,
  transactions: readonly { hex: string; anyFee: boolean }[],
): Promise<RpcOutcome[]> {
  // Nodes of the 1.14 family have `allowhighfees` in the place of the highest rate.
  const noLimit = CHAINS[blockchain].segwit ? 0 : true
  return rpc(
    transactions.map(({ hex, anyFee }) => ({ method: 'sendrawtransaction', params: anyFee ? [hex, noLimit] : [hex] })),
  )
}

/** The node's answer to a package, with its reject reason. */
export type PackageOutcome = { state: 'taken' } | { state: 'refused'; reason: string }

/**
 * Sends a transaction after those that it pays for, as one package (Bitcoin Core 26 and later), at any fee rate. A node
 * without the method rejects it. @throws {NodeError}
 */
export async function submitPackage(rpc: WalletRpc, hexes: readonly string[]): Promise<PackageOutcome> {
  // Before 28 the call has no highest rate to lift.
  for (const params of [[hexes, 0], [hexes]]) {
    const [outcome] = await rpc([{ method: 'submitpackage', params }])
    if (outcome && 'error' in outcome) {
      if (outcome.error.code === WRONG_PARAMETERS && params.length > 1) continue
      return { state: 'refused', reason: outcome.error.message }
    }
    const { package_msg } = asObject(resultOf('submitpackage', outcome), 'submitpackage')
    return package_msg === 'success' ? { state: 'taken' } : { state: 'refused', reason: String(package_msg) }
  }
  return { state: 'refused', reason: 'the node knows no packages' }
}

/** RPC_MISC_ERROR: returned for a call with too many parameters. */
const WRONG_PARAMETERS = -1

/** Which of these outputs are unspent on the chain; with `mempool`, neither spent there, those of it included. */
export async function readUnspent(
  rpc: WalletRpc,
  outputs: readonly { txid: string; vout: number }[],
  { mempool = false } = {},
): Promise<boolean[]> {
  const outcomes = await rpc(outputs.map(({ txid, vout }) => ({ method: 'gettxout', params: [txid, vout, mempool] })))
  return outcomes.map((outcome) => resultOf('gettxout', outcome) !== null)
}

/** Those of these outputs that no block has spent, no matter what the mempool does, as they are. @throws {NodeError} {@link RpcError} */
export async function readConfirmedOutputs(
  rpc: WalletRpc,
  outputs: readonly { txid: string; vout: number }[],
): Promise<SpentOutput[]> {
  const outcomes = await rpc(outputs.map(({ txid, vout }) => ({ method: 'gettxout', params: [txid, vout, false] })))
  return outputs.flatMap(({ txid, vout }, index) => {
    const result = resultOf('gettxout', outcomes[index])
    if (result === null) return []
    const { value, scriptPubKey } = asObject(result, 'gettxout')
    const script = asText(asObject(scriptPubKey, 'scriptPubKey').hex, 'hex')
    return { txid, vout, script, value: asAmount(value, 'value') }
  })
}
