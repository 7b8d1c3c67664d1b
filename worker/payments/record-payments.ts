import { toHex } from '../../protocol/bytes.ts'
import { decodeTransaction, type Transaction } from '../../protocol/transaction.ts'
import { readBlocks } from '../chain/block-methods.ts'
import {
  listPaymentsSince,
  readInMempool,
  readWalletTransactions,
  type WalletEntry,
} from '../chain/transaction-methods.ts'
import { RpcError } from '../chain/wallet-rpc.ts'
import type { AgentContext } from '../chain-follower/agent-context.ts'
import {
  assertTipStatement,
  type BlockPosition,
  selectBlocks,
  selectHeights,
  selectScanned,
  upsertScannedStatement,
} from '../storage/chain/blocks.ts'
import { batchIf } from '../storage/guarded-batch.ts'
import { selectAddresses, selectAddressesByScript } from '../storage/payments/addresses.ts'
import {
  type Output,
  selectOutputsByTxid,
  selectUnminedTxids,
  updateInMempoolStatement,
  upsertOutputsStatement,
} from '../storage/payments/outputs.ts'

type Found = Omit<Output, 'credited'>
type SeenAt = (txid: string) => number

/** Transactions asked of the node in one batch. */
const PER_BATCH = 100
const NO_TRANSACTION = '0'.repeat(64)

/**
 * Writes down every output that pays an address of ours, with its place on the chain that we followed. The wallet
 * only says where to look: amounts and scripts are read from transactions that hash to their txid, and a block
 * counts when it was followed and its Merkle root covers the transaction.
 * @throws {NodeError} {@link RpcError}
 */
export async function recordPayments(context: AgentContext, tip: BlockPosition): Promise<void> {
  const { db, blockchain } = context
  const entries = await listEntries(context)
  const ours = await selectAddresses(db, blockchain, [...new Set(entries.map(({ address }) => address))])
  const named = new Set(ours.map(({ address }) => address))
  const latest = new Map(entries.filter(({ address }) => named.has(address)).map((entry) => [entry.txid, entry]))
  const known = await selectOutputsByTxid(db, blockchain, [...latest.keys()])
  const asBefore = new Set(known.filter(({ txid, blockHash }) => blockHash === latest.get(txid)?.blockHash))
  for (const { txid } of asBefore) latest.delete(txid)
  const found = await readOutputs(context, [...latest.keys()], (txid) => latest.get(txid)?.seenAt ?? context.now)
  const recorded = await batchIf(db, [
    assertTipStatement(db, blockchain, tip),
    upsertOutputsStatement(db, blockchain, found),
    upsertScannedStatement(db, blockchain, tip),
  ])
  if (recorded) await recheckUnmined(context, tip)
}

async function listEntries({ db, rpc, blockchain }: AgentContext): Promise<WalletEntry[]> {
  const scanned = await selectScanned(db, blockchain)
  if (!scanned) return []
  try {
    return await listPaymentsSince(rpc, scanned.hash)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    // A node that was set up anew has never seen a block that is off the chain by now: start from the oldest we keep.
    const oldest = (await selectBlocks(db, blockchain, 1_000)).at(-1)
    if (!oldest || oldest.hash === scanned.hash) throw error
    return await listPaymentsSince(rpc, oldest.hash)
  }
}

/** What is neither in a block nor in the mempool any more does not count; what is in a block after all, does. */
async function recheckUnmined(context: AgentContext, tip: BlockPosition): Promise<void> {
  const { db, rpc, blockchain } = context
  const txids = await selectUnminedTxids(db, blockchain)
  for (let start = 0; start < txids.length; start += PER_BATCH) {
    const part = txids.slice(start, start + PER_BATCH)
    const inMempool = await readInMempool(rpc, part)
    const gone = part.filter((txid) => !inMempool.has(txid))
    const found = await readOutputs(context, gone, () => context.now)
    await batchIf(db, [
      assertTipStatement(db, blockchain, tip),
      updateInMempoolStatement(db, blockchain, [...inMempool], true),
      updateInMempoolStatement(db, blockchain, gone, false),
      upsertOutputsStatement(db, blockchain, found),
    ])
  }
}

async function readOutputs(context: AgentContext, txids: readonly string[], seenAt: SeenAt): Promise<Found[]> {
  const outputs: Found[] = []
  for (let start = 0; start < txids.length; start += PER_BATCH) {
    outputs.push(...(await readPart(context, txids.slice(start, start + PER_BATCH), seenAt)))
  }
  return outputs
}

async function readPart(context: AgentContext, txids: readonly string[], seenAt: SeenAt): Promise<Found[]> {
  const { db, rpc, blockchain } = context
  const transactions = new Map<string, Transaction>()
  const blockHashes = new Set<string>()
  const read = await readWalletTransactions(rpc, txids)
  txids.forEach((txid, index) => {
    const known = read[index]
    if (known) transactions.set(txid, decodeTransaction(known.bytes))
    if (known?.blockHash !== undefined) blockHashes.add(known.blockHash)
  })
  const proven = await proveInBlocks(context, [...blockHashes])
  const loose = [...transactions.keys()].filter((txid) => !proven.has(txid))
  const inMempool = await readInMempool(rpc, loose)
  const scripts = [...transactions.values()].flatMap(({ outputs }) => outputs.map(({ script }) => toHex(script)))
  const ours = await selectAddressesByScript(db, blockchain, scripts)
  const addressOf = new Map(ours.map(({ script, address }) => [script, address]))
  return [...transactions].flatMap(([txid, { inputs, outputs }]) =>
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
        seenAt: seenAt(txid),
        inMempool: inMempool.has(txid),
        blockHash: block?.hash,
        blockHeight: block?.height,
      }
    }),
  )
}

/** The transactions of those of the blocks that we followed. */
async function proveInBlocks(
  { db, rpc, blockchain }: AgentContext,
  hashes: readonly string[],
): Promise<Map<string, BlockPosition>> {
  const heights = await selectHeights(db, blockchain, hashes)
  const proven = new Map<string, BlockPosition>()
  if (heights.size === 0) return proven
  for (const { hash, txids } of await readBlocks(rpc, [...heights.keys()])) {
    const height = heights.get(hash)
    if (height !== undefined) for (const txid of txids) proven.set(txid, { height, hash })
  }
  return proven
}
