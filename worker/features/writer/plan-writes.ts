import { CHAINS } from '../../../protocol/chains.ts'
import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { newChangeScript } from '../../chain/rpc/address-methods.ts'
import { readMempoolTerms } from '../../chain/rpc/fund-methods.ts'
import { readUnspent } from '../../chain/rpc/transaction-methods.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { storedKey } from '../items/sql/item-objects.ts'
import { updateWaitingMessage } from '../items/sql/items.ts'
import { BEING_WRITTEN, stopItemsStatements } from '../items/sql/move-items.ts'
import { listFunds, type WalletFunds } from '../wallet/spendable-coins.ts'
import { closeLanesStatement, selectNextLaneId, selectOpenLanes } from '../wallet/sql/lanes.ts'
import { selectItemIndexes } from '../wallet/sql/transaction-states.ts'
import { type OwnTransaction, selectLaneTips } from '../wallet/sql/transactions.ts'
import { laneStates } from './lane-states.ts'
import { countRemaining, cutOf, firstFree, listPayloads, type Unwritten } from './list-payloads.ts'
import {
  type LaneState,
  laneLimits,
  lanesWorth,
  type Payload,
  type PlannedTransaction,
  planLanes,
} from './plan-lanes.ts'
import { selectAffordable } from './select-affordable.ts'
import { signAndStore } from './sign-and-store.ts'
import { advanceWriteStatements, planWriteStatements, type WriteJob } from './sql/writes.ts'

/** Items looked at for one plan; the others have their turn when these are written. */
const ITEMS_PER_PLAN = 50

/** Data in one plan: its signed bytes are one object, read and sent as a whole. */
const BYTES_PER_PLAN = 1 << 19

/**
 * Signs as many of the next transactions as the lanes have room for. `false` when there is nothing to sign, no room,
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
  for (const write of await selectAffordable(context, writes, feeRate)) {
    const cut = cutOf(write, config.chains[blockchain].maxDataBytes)
    if (write.nextIndex >= cut.transactions) continue
    if (items.length >= ITEMS_PER_PLAN) break
    items.push({ write, cut, taken: await selectItemIndexes(db, write.itemId, write.nextIndex) })
  }
  const limits = laneLimits(cluster)
  const queue = listPayloads(items, { count: config.writerLanes * limits.count, bytes: BYTES_PER_PLAN })
  if (queue.length === 0) return false

  const lanes = await dropSpentLanes(context, await readLanes(context, unmined))
  const held = new Set(lanes.map(({ tip }) => `${tip.txid}:${tip.vout}`))
  // With every lane full nothing can be added, and the wallet need not be asked.
  const full = lanes.filter(({ ready, unconfirmed }) => !ready || unconfirmed >= limits.count).length
  if (full >= config.writerLanes) return false
  const funds = await listFunds(context)
  const coins = funds.spendable.filter(({ txid, vout }) => !held.has(`${txid}:${vout}`))
  const remaining = { transactions: countRemaining(items, queue) }
  // Lanes that are opened get a script of the wallet as it is now: the one of a lane may be of a wallet before it.
  const enough = lanes.length >= lanesWorth(remaining.transactions, config.writerLanes, limits.count)
  const plan = planLanes({
    lanes,
    coins,
    queue,
    remaining,
    maxLanes: config.writerLanes,
    limits,
    feeRate,
    dust: CHAINS[blockchain].dust,
    changeScript: (enough && lanes[0]?.script) || (await newChangeScript(rpc, blockchain)),
    nextLaneId: await selectNextLaneId(db, blockchain),
  })
  if (plan.transactions.length === 0) {
    if (full === 0) await sayCoinsMissing(context, items, funds)
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
  const told = items.filter(({ write }) => write.message?.startsWith(COINS_MISSING)).map(({ write }) => write.itemId)
  if (planned && told.length > 0) await updateWaitingMessage(db, told, BEING_WRITTEN)
  return planned
}

const COINS_MISSING = "Paid. It waits: the service has no coins free for the network's fees."

/** Tells the payers of items that wait for coins, and when the first may be spent where that is known. */
async function sayCoinsMissing(
  { db, blockchain }: AgentContext,
  items: readonly Unwritten[],
  { blocks }: WalletFunds,
): Promise<void> {
  console.warn('coins_missing', blockchain, 'paid items wait: the wallet has no confirmed coins for their fees')
  const minutes = (count: number) => Math.ceil((count * CHAINS[blockchain].blockSeconds) / 60)
  const when =
    blocks === undefined ? '' : ` The next become free in ${blocks} blocks, about ${minutes(blocks)} minutes.`
  const message = `${COINS_MISSING}${when} Writing goes on by itself.`
  const untold = items.filter(({ write }) => write.message !== message).map(({ write }) => write.itemId)
  if (untold.length > 0) await updateWaitingMessage(db, untold, message)
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

async function readLanes({ db, blockchain }: AgentContext, unmined: readonly OwnTransaction[]): Promise<LaneState[]> {
  const tips = await selectLaneTips(db, blockchain)
  return laneStates(await selectOpenLanes(db, blockchain), tips, unmined)
}

/** Closes lanes that nothing of waits and whose coin is spent: by an operator, or by another copy of the wallet. */
async function dropSpentLanes({ db, rpc, blockchain }: AgentContext, lanes: LaneState[]): Promise<LaneState[]> {
  const idle = lanes.filter(({ unconfirmed, ready }) => unconfirmed === 0 && ready)
  if (idle.length === 0) return lanes
  const tips = idle.map(({ tip }) => tip)
  const unspent = await readUnspent(rpc, tips, { mempool: true })
  const spent = new Set(idle.filter((_, index) => !unspent[index]).map(({ id }) => id))
  if (spent.size === 0) return lanes
  console.warn('lanes_spent', blockchain, [...spent].join(), 'something else has spent their coins')
  await closeLanesStatement(db, blockchain, [...spent]).run()
  return lanes.filter(({ id }) => !spent.has(id))
}

const STORED_GONE = 'Its stored bytes are not there any more: it has to be uploaded anew.'

/** The bytes of the payloads, each item's in one read; `undefined` when an item had none and was stopped. */
async function readData(
  { db, bucket, blockchain, now }: AgentContext,
  items: readonly Unwritten[],
  queue: readonly Payload[],
): Promise<Map<string, Uint8Array> | undefined> {
  const data = new Map<string, Uint8Array>()
  const gone: string[] = []
  for (const { write, cut } of items) {
    const own = queue.filter(({ itemId }) => itemId === write.itemId)
    const [first] = own
    const last = own.at(-1)
    if (!first || !last) continue
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
  if (gone.length === 0) return data
  console.error('stored_bytes_gone', blockchain, gone.join())
  await batchIf(db, stopItemsStatements(db, gone, 'parked', STORED_GONE, now))
  return undefined
}
