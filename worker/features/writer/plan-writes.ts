import { CHAINS } from '../../../protocol/chains.ts'
import { outpointOf } from '../../../protocol/transaction.ts'
import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { deleteIncidentStatement, insertIncidentStatement } from '../../chain/follower/incidents.ts'
import { newChangeScript } from '../../chain/rpc/address-methods.ts'
import { readMempoolTerms } from '../../chain/rpc/fund-methods.ts'
import { readUnspent } from '../../chain/rpc/transaction-methods.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { voidIndexStatement } from '../items/sql/indexes.ts'
import { storedKey } from '../items/sql/item-objects.ts'
import { updateWaitingMessage } from '../items/sql/items.ts'
import { BEING_WRITTEN, stopItemsStatements } from '../items/sql/move-items.ts'
import {
  advanceWriteStatements,
  MAX_WRITES,
  planWriteStatements,
  selectWrites,
  type WriteJob,
} from '../items/sql/writes.ts'
import { leastQuote } from '../transactions/sign/is-affordable.ts'
import { signAndStore } from '../transactions/sign/sign-and-store.ts'
import { ceilingOf } from '../transactions/sign/tx-chain-fees.ts'
import { txChainLimits, txChainsWorth } from '../transactions/sign/tx-chain-limits.ts'
import type { Payload, PlannedTransaction, TxChainPlan, TxChainState } from '../transactions/sign/tx-chain-plan.ts'
import { listFunds } from '../transactions/spendable-coins.ts'
import { selectItemIndexes } from '../transactions/sql/transaction-states.ts'
import { type OwnTransaction, selectTxChainTips } from '../transactions/sql/transactions.ts'
import { closeTxChainsStatement, selectNextTxChainId, selectOpenTxChains } from '../transactions/sql/tx-chains.ts'
import { selectAffordable } from './plan/hold-items.ts'
import { countRemaining, cutOf, firstFree, listPayloads, type Unwritten } from './plan/list-payloads.ts'
import { lacksTxChains, planTxChains } from './plan/plan-tx-chains.ts'
import { readIndexData } from './plan/read-index-data.ts'
import { readQuotes } from './plan/read-quotes.ts'
import { txChainStates } from './plan/tx-chain-states.ts'

/** Items looked at for one plan; the others have their turn when these are written. */
const ITEMS_PER_PLAN = 50

/** Data in one plan: its signed bytes are one object, read and sent as a whole. */
const BYTES_PER_PLAN = 1 << 19

/**
 * Signs as many of the next transactions as the tx chains have room for. `false` when there is nothing to sign, no room,
 * or no money; in the last case the log says so, and it is tried again.
 */
export async function planWrites(
  context: AgentContext,
  writes: readonly WriteJob[],
  unmined: readonly OwnTransaction[],
): Promise<boolean> {
  const { db, rpc, blockchain, config } = context
  const items: Unwritten[] = []
  const { feeRate, cluster } = await readMempoolTerms(rpc, blockchain)
  for (const write of await selectAffordable(context, await addPayable(context, writes, feeRate), feeRate)) {
    const cut = cutOf(write, config.chains[blockchain].maxDataBytes)
    if (write.nextIndex >= cut.transactions) continue
    if (items.length >= ITEMS_PER_PLAN) break
    items.push({ write, cut, taken: await selectItemIndexes(db, write.itemId, write.nextIndex) })
  }
  const limits = txChainLimits(cluster)
  const queue = listPayloads(items, { count: config.maxTxChains * limits.count, bytes: BYTES_PER_PLAN })
  if (queue.length === 0) return false

  const txChains = await dropSpentTxChains(context, await readTxChains(context, unmined, feeRate))
  // If every tx chain that can progress is full, nothing can be added, and the wallet need not be queried.
  const full = txChains.filter(
    ({ moves, ready, unconfirmed }) => moves && (!ready || unconfirmed >= limits.count),
  ).length
  if (full >= config.maxTxChains) return false
  const ceilings = ceilingsOf(items, config.feeCeilingPercent)
  const remaining = { transactions: countRemaining(items, queue) }
  const wanted = txChainsWorth(remaining.transactions, config.maxTxChains, limits.count)
  const rates = ratesOf(items, feeRate, config.feeCeilingPercent)
  const { dust } = CHAINS[blockchain]
  const lacking = lacksTxChains({ txChains, queue, ceilings, rates, feeRate, dust }, wanted)
  const funds = lacking ? await listFunds(context) : undefined
  const held = new Set(txChains.map(({ tip }) => outpointOf(tip)))
  const coins = funds?.spendable.filter((output) => !held.has(outpointOf(output))) ?? []
  const plan = planTxChains({
    txChains,
    coins,
    queue,
    remaining,
    ceilings,
    rates,
    maxTxChains: config.maxTxChains,
    limits,
    feeRate,
    dust,
    // Tx chains that are opened get a script of the wallet as it is now: the one of a tx chain may be of a wallet before it.
    changeScript: (!lacking && txChains[0]?.script) || (await newChangeScript(rpc, blockchain)),
    nextTxChainId: await selectNextTxChainId(db, blockchain),
  })
  await sayWaiting(context, items, plan.waiting, funds?.blocks)
  if (plan.transactions.length === 0) {
    // What the ends of these have left is free for others then, together with other coins of the wallet.
    if (plan.closed.length > 0) await closeTxChainsStatement(db, blockchain, plan.closed).run()
    return false
  }
  const data = await readData(context, items, queue)
  if (!data) return true
  const recordOf = (signed: readonly PlannedTransaction[]) => {
    const payloads = signed.flatMap(({ payload }) => payload ?? [])
    return items.flatMap((item) => recordPlan(db, item, payloads))
  }
  const dataOf = ({ payload }: PlannedTransaction) => payload && data.get(`${payload.itemId}/${payload.index}`)
  const planned = await signAndStore(context, plan, dataOf, recordOf)
  const written = new Set(plan.transactions.flatMap(({ payload }) => payload?.itemId ?? []))
  const told = items.filter(({ write }) => written.has(write.itemId) && isTold(write)).map(({ write }) => write.itemId)
  if (planned && told.length > 0) await updateWaitingMessage(db, told, BEING_WRITTEN)
  return planned
}

/** The writes, and where they are as many as a step reads, those too behind them that may be written at the fee rate of now. */
async function addPayable(
  { db, blockchain, config }: AgentContext,
  writes: readonly WriteJob[],
  feeRate: bigint,
): Promise<WriteJob[]> {
  if (writes.length < MAX_WRITES) return [...writes]
  const quote = leastQuote(feeRate, config.feeCeilingPercent)
  const payable = await selectWrites(db, blockchain, ['queued', 'writing'], { part: 'toWrite', quote })
  return [...new Map([...writes, ...payable].map((write) => [write.itemId, write])).values()]
}

const COINS_MISSING = "Paid. It waits: the service has no coins free for the network's fees."
const TX_CHAINS_FULL =
  'Paid. It waits: too many transactions of the service wait to be mined. Writing goes on by itself when some are.'

function isTold({ message }: Pick<WriteJob, 'message'>): boolean {
  return message === TX_CHAINS_FULL || Boolean(message?.startsWith(COINS_MISSING))
}

/**
 * Shows the payers of items that have no tx chain what they wait for: one to end, or coins, and when the first of those may be spent
 * where that is known, in `blocks`.
 */
async function sayWaiting(
  { db, blockchain, now }: AgentContext,
  items: readonly Unwritten[],
  waiting: TxChainPlan['waiting'],
  blocks: number | undefined,
): Promise<void> {
  const minutes = (count: number) => Math.ceil((count * CHAINS[blockchain].blockSeconds) / 60)
  const when =
    blocks === undefined ? '' : ` The next become free in ${blocks} blocks, about ${minutes(blocks)} minutes.`
  const messages = { coins: `${COINS_MISSING}${when} Writing continues automatically.`, 'tx chains': TX_CHAINS_FULL }
  // The write of an index has no payer to notify: its item is stored.
  const told = items.filter(({ write }) => write.indexOf === undefined)
  const waits = told.some(({ write }) => waiting.get(write.itemId) === 'tx chains')
  const waited = told.some(({ write }) => write.message === TX_CHAINS_FULL)
  const incident = {
    code: 'tx_chains_full',
    reason: 'paid items wait for other transactions to be mined',
    since: now,
  } as const
  if (waits && !waited) await insertIncidentStatement(db, blockchain, incident).run()
  if (waited && !waits) await deleteIncidentStatement(db, blockchain, 'tx_chains_full').run()
  for (const reason of ['coins', 'tx chains'] as const) {
    const own = told.filter(({ write }) => waiting.get(write.itemId) === reason)
    if (own.length === 0) continue
    if (reason === 'coins') console.warn('coins_missing', blockchain, `${own.length} paid items wait`)
    else console.warn('tx_chains_full', blockchain, `${own.length} paid items wait`)
    const untold = own.filter(({ write }) => write.message !== messages[reason]).map(({ write }) => write.itemId)
    if (untold.length > 0) await updateWaitingMessage(db, untold, messages[reason])
  }
}

/**
 * The fee rates of items whose transactions the node refused as too cheap at a rate that is not below its present one:
 * 1.5 times the refused rate, up to the item's ceiling. A node may count a transaction as larger than it is.
 */
function ratesOf(items: readonly Unwritten[], feeRate: bigint, ceilingPercent: number): Map<string, bigint> {
  return new Map(
    items.flatMap(({ write }) => {
      const { itemId, refusedRate } = write
      if (refusedRate === undefined || refusedRate < feeRate) return []
      const most = ceilingOf(write.feeRate, ceilingPercent)
      const raised = (refusedRate * 3n) / 2n
      return [[itemId, raised < most ? raised : most]]
    }),
  )
}

function ceilingsOf(items: readonly Unwritten[], ceilingPercent: number): Map<string, bigint> {
  return new Map(items.map(({ write }) => [write.itemId, ceilingOf(write.feeRate, ceilingPercent)]))
}

function recordPlan(db: D1Database, { write, cut, taken }: Unwritten, planned: readonly Payload[]) {
  const indexes = new Set(planned.filter(({ itemId }) => itemId === write.itemId).map(({ index }) => index))
  if (indexes.size === 0) return []
  const { itemId, nextIndex } = write
  return [
    ...planWriteStatements(db, itemId, cut.dataBytes, cut.transactions),
    ...advanceWriteStatements(db, itemId, nextIndex, firstFree(nextIndex, taken, indexes)),
  ]
}

async function readTxChains(
  { db, blockchain, config }: AgentContext,
  unmined: readonly OwnTransaction[],
  feeRate: bigint,
): Promise<TxChainState[]> {
  const tips = await selectTxChainTips(db, blockchain)
  const quotes = await readQuotes(db, unmined)
  const terms = { feeRate, quotes, ceilingPercent: config.feeCeilingPercent, dust: CHAINS[blockchain].dust }
  return txChainStates(await selectOpenTxChains(db, blockchain), tips, unmined, terms)
}

/** Closes tx chains that nothing of waits and whose coin is spent: by an operator, or by another copy of the wallet. */
async function dropSpentTxChains(
  { db, rpc, blockchain }: AgentContext,
  txChains: TxChainState[],
): Promise<TxChainState[]> {
  const idle = txChains.filter(({ unconfirmed, ready }) => unconfirmed === 0 && ready)
  if (idle.length === 0) return txChains
  const tips = idle.map(({ tip }) => tip)
  const unspent = await readUnspent(rpc, tips, { mempool: true })
  const spent = new Set(idle.filter((_, index) => !unspent[index]).map(({ id }) => id))
  if (spent.size === 0) return txChains
  console.warn('tx_chains_spent', blockchain, [...spent].join(), 'other transactions have spent their coins')
  await closeTxChainsStatement(db, blockchain, [...spent]).run()
  return txChains.filter(({ id }) => !spent.has(id))
}

const STORED_GONE = 'Its stored bytes are gone. It has to be uploaded again.'

/**
 * The bytes of the payloads, each item's in one read; `undefined` when an item had none and was stopped, or an index names what
 * its item is not any more, and is not written.
 */
async function readData(
  { db, bucket, blockchain, now }: AgentContext,
  items: readonly Unwritten[],
  queue: readonly Payload[],
): Promise<Map<string, Uint8Array> | undefined> {
  const data = new Map<string, Uint8Array>()
  const gone: string[] = []
  const voided: string[] = []
  for (const { write, cut } of items) {
    const own = queue.filter(({ itemId }) => itemId === write.itemId)
    const [first] = own
    const last = own.at(-1)
    if (!first || !last) continue
    if (write.indexOf !== undefined) {
      const bytes = await readIndexData(db, { itemId: write.itemId, indexOf: write.indexOf })
      if (bytes?.length === first.length) data.set(`${write.itemId}/${first.index}`, bytes)
      else voided.push(write.itemId)
      continue
    }
    const offset = first.index * cut.dataBytes
    const length = last.index * cut.dataBytes + last.length - offset
    const object = await bucket.get(storedKey(write.itemId), { range: { offset, length } })
    const bytes = object ? new Uint8Array(await object.arrayBuffer()) : undefined
    if (bytes?.length !== length) {
      gone.push(write.itemId)
      continue
    }
    for (const { itemId, index, length } of own) {
      const start = index * cut.dataBytes - offset
      data.set(`${itemId}/${index}`, bytes.subarray(start, start + length))
    }
  }
  for (const id of voided) await voidIndexStatement(db, id).run()
  if (gone.length + voided.length === 0) return data
  if (gone.length === 0) return undefined
  console.error('stored_bytes_gone', blockchain, gone.join())
  await batchIf(db, stopItemsStatements(db, gone, 'parked', STORED_GONE, now))
  return undefined
}
