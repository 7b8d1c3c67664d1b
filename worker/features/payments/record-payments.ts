import { toHex } from '../../../protocol/bytes.ts'
import { decodeTransaction, type Transaction } from '../../../protocol/transaction.ts'
import type { AgentContext } from '../../chain/follower/agent-context.ts'
import {
  assertTipStatement,
  type BlockPosition,
  selectHeights,
  selectScanned,
  upsertScannedStatement,
  type WalletScan,
} from '../../chain/follower/blocks.ts'
import { isOutage, mustWait, recordFailure } from '../../chain/follower/each-record.ts'
import { deleteFailedRecordStatement, selectFailedRecords } from '../../chain/follower/failed-records.ts'
import { readBestHeights, readBlocks } from '../../chain/rpc/block-methods.ts'
import { readWalletState, type WalletState } from '../../chain/rpc/fund-methods.ts'
import { readInMempool, readWalletTransactions } from '../../chain/rpc/transaction-methods.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { inParts } from '../../platform/d1/in-parts.ts'
import { rotatingPrefix } from '../../platform/d1/read-in-turn.ts'
import { selectAddresses, selectAddressesByScript, selectOutermostAddresses } from '../transactions/sql/addresses.ts'
import { inheritSeenTime } from './inherit-seen-time.ts'
import { listEntries } from './list-entries.ts'
import { recordSends } from './record-sends.ts'
import { recoverAddresses } from './recover-addresses.ts'
import {
  dropOutputsStatement,
  type Output,
  selectBlockHashes,
  selectOutputsOf,
  selectUnminedTxids,
  updateInMempoolStatement,
  upsertOutputsStatements,
} from './sql/outputs.ts'
import { hasLost } from './wallet-growth.ts'

type Found = Omit<Output, 'credited' | 'writtenOff'>
type SeenAt = (txid: string) => number

/** Transactions read from the node in one batch. */
const PER_BATCH = 100
/** Transactions recorded by one step; the next step continues. */
const PER_STEP = 2_000
/** Addresses that the database has lost and that are looked up in one step. */
const RECOVERED_PER_STEP = 100
/** Unmined transactions checked in one step. */
const RECHECKED = 2_000
/** How long after a wallet lost transactions every growth of it counts as a rescan, in milliseconds. */
const RESTORED_FOR = 86_400_000

/** Confirmations above which a block may be older than those that are followed: a first look goes back so far. */
const OLD = 144

/** Scripts of our addresses are at most so long (hex digits); what is longer, data above all, is not looked up. */
const MAX_SCRIPT_DIGITS = 84
const NO_TRANSACTION = '0'.repeat(64)

/**
 * How far a look came: `partly` where something that left the wallet may not be recorded, as where the wallet is to be searched whole
 * later; `more` if there is more to record, `scanning` while the wallet itself rescans.
 */
type Recorded = 'done' | 'partly' | 'more' | 'scanning'

/**
 * Records every output that pays one of our addresses, with its place on the chain that we followed, and what left the wallet by
 * transactions that the database does not know. The wallet only says where to look: amounts and scripts are read from transactions that
 * hash to their txid, and a block counts if it was followed and its Merkle root covers the transaction.
 * @throws {NodeError} {@link RpcError}
 */
export async function recordPayments(context: AgentContext, tip: BlockPosition): Promise<Recorded> {
  const { db, blockchain, now } = context
  const outermost = await selectOutermostAddresses(db, blockchain)
  const state = await readWalletState(context.rpc, blockchain, outermost)
  const { scanning, keys: walletKeys } = state
  // What it will find is not known yet: nothing is decided on a part of it.
  if (scanning) return 'scanning'
  const scan = await selectScanned(db, blockchain)
  const { fresh, unnamed, waiting: waitingCount, search, ...found } = await listFresh(context, scan, state)
  const txCount = await readCountBehind(context, outermost, scan, state)
  const failedRecords = await selectFailedRecords(db, blockchain, 'payment')
  for (const { id } of failedRecords) fresh.set(id, fresh.get(id) ?? now)
  const tries = new Map(failedRecords.map((row) => [row.id, row.tries]))
  const seenAt: SeenAt = (txid) => fresh.get(txid) ?? now
  // The oldest first: what replaced a payment has its time only where that is recorded before it, or with it.
  const txids = [...fresh.keys()].sort((a, b) => seenAt(a) - seenAt(b)).slice(0, PER_STEP)
  const waiting = new Set(failedRecords.filter((row) => mustWait(row, now)).map(({ id }) => id))
  let forgotten = 0
  for (const part of inParts(
    txids.filter((txid) => !waiting.has(txid)),
    PER_BATCH,
  )) {
    const { outputs, read, unknown } = await readEach(context, part, seenAt, tries)
    const recorded = await batchIf(db, [
      assertTipStatement(db, blockchain, tip),
      ...upsertOutputsStatements(db, blockchain, outputs),
      deleteFailedRecordStatement(db, blockchain, 'payment', read),
    ])
    if (!recorded) return 'partly'
    forgotten += unknown.length
  }
  // The scan goes on from where it was: what was left out is listed again.
  if (unnamed || txids.length < fresh.size) return 'more'
  const wallet = {
    walletKeys,
    ...(waitingCount === undefined ? {} : { waiting: waitingCount }),
    // Without what it listed and then did not know: when a rescan finds that, it has more than others explain.
    ...(txCount === undefined ? {} : { txCount: Math.max(0, txCount - forgotten) }),
    ...(search === 'none' ? {} : { searchDue: search === 'due' }),
    ...(search === 'made' ? { searchedAt: now } : {}),
    ...(hasLost(scan, txCount) ? { restoredUntil: now + RESTORED_FOR } : {}),
    sendsKnown: true,
  }
  const { statements, unknown, more } = await recordSends(context, scan, found)
  const isRecorded = await batchIf(db, [
    assertTipStatement(db, blockchain, tip),
    ...statements,
    // Where there are more, the next step lists them again.
    ...(more ? [] : [upsertScannedStatement(db, blockchain, tip, wallet)]),
  ])
  if (!isRecorded) return 'partly'
  if (unknown.length > 0) console.error('sends_unknown', blockchain, unknown.join())
  if (more) return 'more'
  await recheckUnmined(context, tip)
  return search === 'due' ? 'partly' : 'done'
}

/**
 * The number of the wallet's transactions, before it listed them or now, whichever is lower: transactions that it lost in between
 * were not listed, and would count as listed when a rescan finds them.
 */
async function readCountBehind(
  { rpc, blockchain }: AgentContext,
  outermost: readonly string[],
  scan: WalletScan | undefined,
  { txCount }: WalletState,
): Promise<number | undefined> {
  // With as many as before nothing new was listed that could be lost again: that is how most looks are.
  if (txCount === undefined || txCount === scan?.txCount) return txCount
  const { txCount: behind = txCount } = await readWalletState(rpc, blockchain, outermost)
  return Math.min(txCount, behind)
}

/**
 * When the wallet first saw each transaction that pays us, for those whose stored block is not the one that the wallet
 * reports. `unnamed` is true if more addresses that the database has lost were paid than one step looks up.
 */
async function listFresh(context: AgentContext, scan: WalletScan | undefined, wallet: WalletState) {
  const { db, blockchain } = context
  const fresh = new Map<string, number>()
  let left = RECOVERED_PER_STEP
  let unnamed = false
  const listed = await listEntries(context, scan, wallet, async (entries) => {
    const ours = await selectAddresses(db, blockchain, [...new Set(entries.map(({ address }) => address))])
    const known = new Set(ours.map(({ address }) => address))
    const recovered = await recoverAddresses(
      context,
      entries.filter(({ address }) => !known.has(address)),
      left,
    )
    left -= recovered.tried
    unnamed ||= recovered.more
    const named = new Set([...known, ...recovered.known])
    const latest = new Map(entries.filter(({ address }) => named.has(address)).map((entry) => [entry.txid, entry]))
    for (const { txid, blockHash } of await selectBlockHashes(db, blockchain, [...latest.keys()])) {
      if (blockHash === latest.get(txid)?.blockHash) latest.delete(txid)
    }
    for (const { txid, seenAt } of latest.values()) fresh.set(txid, seenAt)
  })
  return { fresh, unnamed, ...listed }
}

/** Reads transactions together. If that fails, reads each by itself, and records those that can't be read as failed. */
async function readEach(
  context: AgentContext,
  txids: readonly string[],
  seenAt: SeenAt,
  tries: ReadonlyMap<string, number>,
): Promise<{ outputs: Found[]; read: string[]; unknown: string[] }> {
  const [first = '', ...others] = txids
  try {
    const { outputs, unknown } = await readPart(context, txids, seenAt)
    return { outputs, read: [...txids], unknown }
  } catch (error) {
    if (isOutage(error)) throw error
    if (others.length === 0) {
      await recordFailure(context, 'payment', first, error, tries.get(first))
      return { outputs: [], read: [], unknown: [] }
    }
  }
  const found: { outputs: Found[]; read: string[]; unknown: string[] } = { outputs: [], read: [], unknown: [] }
  for (const txid of txids) {
    const { outputs, read, unknown } = await readEach(context, [txid], seenAt, tries)
    found.outputs.push(...outputs)
    found.read.push(...read)
    found.unknown.push(...unknown)
  }
  return found
}

/**
 * Updates unmined outputs: one that is neither in a block nor in the mempool any more does not count, and one that is
 * in a block after all does.
 */
async function recheckUnmined(context: AgentContext, tip: BlockPosition): Promise<void> {
  const { db, rpc, blockchain, now } = context
  // Starts at a different place each time: if there are more than fit into a step, all are reached in turn.
  const txids = await selectUnminedTxids(db, blockchain, rotatingPrefix(now), RECHECKED)
  for (const part of inParts(txids, PER_BATCH)) {
    const inMempool = await readInMempool(rpc, part)
    const gone = part.filter((txid) => !inMempool.has(txid))
    const { outputs, conflicted } = await readPart(context, gone, () => now)
    const mined = outputs.filter(({ blockHash }) => blockHash !== undefined)
    await batchIf(db, [
      assertTipStatement(db, blockchain, tip),
      updateInMempoolStatement(db, blockchain, [...inMempool], true, now),
      updateInMempoolStatement(db, blockchain, gone, false, now),
      ...upsertOutputsStatements(db, blockchain, mined),
      dropOutputsStatement(db, blockchain, gone, conflicted, now),
    ])
  }
}

/**
 * What the wallet and the chain say of transactions; `conflicted` are those in whose place a block has another, `unknown`
 * are those that the wallet does not have.
 */
async function readPart(
  context: AgentContext,
  txids: readonly string[],
  seenAt: SeenAt,
): Promise<{ outputs: Found[]; conflicted: string[]; unknown: string[] }> {
  if (txids.length === 0) return { outputs: [], conflicted: [], unknown: [] }
  const { db, rpc, blockchain } = context
  const transactions = new Map<string, Transaction>()
  const metAt = new Map<string, number>()
  const blockHashes = new Set<string>()
  const old = new Set<string>()
  const conflicted: string[] = []
  const conflictsOf = new Map<string, string[]>()
  const read = await readWalletTransactions(rpc, txids)
  txids.forEach((txid, index) => {
    const known = read[index]
    if (known) transactions.set(txid, decodeTransaction(known.bytes))
    // Of one that was recorded as failed nobody lists it again: it is as early as the wallet says, not as this look is.
    if (known) metAt.set(txid, known.seenAt ?? seenAt(txid))
    if (known?.blockHash !== undefined) {
      blockHashes.add(known.blockHash)
      if (known.confirmations > OLD) old.add(known.blockHash)
    }
    if (known && known.confirmations < 0) conflicted.push(txid)
    if (known && known.confirmations >= 0) conflictsOf.set(txid, known.conflicts)
  })
  const proven = await proveInBlocks(context, [...blockHashes], old, transactions)
  const loose = [...transactions.keys()].filter((txid) => !proven.has(txid))
  const inMempool = await readInMempool(rpc, loose)
  const scripts = [...transactions.values()].flatMap(({ outputs }) => outputs.map(({ script }) => toHex(script)))
  const short = scripts.filter((script) => script.length <= MAX_SCRIPT_DIGITS)
  const ours = await selectAddressesByScript(db, blockchain, [...new Set(short)])
  const addressOf = new Map(ours.map(({ script, address }) => [script, address]))
  const paid = [...transactions].flatMap(([txid, { inputs, outputs }]) =>
    outputs.flatMap(({ value, script }, vout) => {
      const address = addressOf.get(toHex(script))
      if (address === undefined) return []
      const block = proven.get(txid)
      return {
        txid,
        vout,
        address,
        amount: value,
        coinbase: inputs[0]?.txid === NO_TRANSACTION,
        seenAt: metAt.get(txid) ?? seenAt(txid),
        inMempool: inMempool.has(txid),
        blockHash: block?.hash,
        blockHeight: block?.height,
      }
    }),
  )
  const stored = await selectOutputsOf(db, blockchain, [...new Set([...conflictsOf.values()].flat())])
  // Of a payment and what replaced it, both may be listed for the first time now.
  const known = new Set(stored.map(({ txid }) => txid))
  const replaced = [...stored, ...paid.filter(({ txid }) => !known.has(txid))]
  const found = [...Map.groupBy(paid, ({ txid }) => txid)].flatMap(([txid, outputs]) => {
    const conflicts = new Set(conflictsOf.get(txid))
    return inheritSeenTime(
      outputs,
      replaced.filter((output) => conflicts.has(output.txid)),
    )
  })
  return { outputs: found, conflicted, unknown: txids.filter((txid) => !transactions.has(txid)) }
}

/**
 * Which of `wanted` are in those of the blocks that we followed, or in those of `old` that the node has on its best chain: they
 * may be older than what is stored, as where a rescan found them.
 */
async function proveInBlocks(
  { db, rpc, blockchain }: AgentContext,
  hashes: readonly string[],
  old: ReadonlySet<string>,
  wanted: ReadonlyMap<string, unknown>,
): Promise<Map<string, BlockPosition>> {
  const followed = await selectHeights(db, blockchain, hashes)
  const unknown = [...old].filter((hash) => !followed.has(hash))
  const heights = new Map([...followed, ...(unknown.length > 0 ? await readBestHeights(rpc, unknown) : [])])
  const proven = new Map<string, BlockPosition>()
  if (heights.size === 0) return proven
  for (const { hash, txids } of await readBlocks(rpc, [...heights.keys()], new Set(wanted.keys()))) {
    const height = heights.get(hash)
    if (height !== undefined) for (const txid of txids) proven.set(txid, { height, hash })
  }
  return proven
}
