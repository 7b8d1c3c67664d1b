import { CHAINS } from '../../protocol/chains.ts'
import { newChangeScript } from '../chain/address-methods.ts'
import { readFeeRate } from '../chain/fund-methods.ts'
import type { AgentContext } from '../chain-follower/agent-context.ts'
import { storedKey } from '../storage/items/item-objects.ts'
import { selectNextLaneId, selectOpenLanes } from '../storage/writes/lanes.ts'
import { selectItemIndexes } from '../storage/writes/transaction-states.ts'
import { type OwnTransaction, selectLaneTips } from '../storage/writes/transactions.ts'
import { advanceWriteStatement, planWriteStatements, type WriteJob } from '../storage/writes/writes.ts'
import { cutOf, firstFree, listPayloads, type Unwritten } from './list-payloads.ts'
import { LANE_LENGTH, type LaneState, type Payload, planLanes } from './plan-lanes.ts'
import { signAndStore } from './sign-and-store.ts'
import { listSpendableCoins } from './spendable-coins.ts'

/** Data in one plan: its signed bytes are one object, read and sent as a whole. */
const BYTES_PER_PLAN = 1 << 20

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
  for (const write of writes) {
    const cut = cutOf(write, config.chains[blockchain].maxDataBytes)
    if (write.nextIndex >= cut.transactions) continue
    items.push({ write, cut, taken: await selectItemIndexes(db, write.itemId, write.nextIndex) })
  }
  const limit = { count: config.writerLanes * LANE_LENGTH, bytes: BYTES_PER_PLAN }
  const queue = listPayloads(items, limit)
  if (queue.length === 0) return false

  const lanes = await readLanes(context, unmined)
  const held = new Set(lanes.map(({ tip }) => `${tip.txid}:${tip.vout}`))
  // With every lane full nothing can be added, and the wallet need not be asked.
  const full = lanes.filter(({ ready, unconfirmed }) => !ready || unconfirmed >= LANE_LENGTH).length
  if (full >= config.writerLanes) return false
  const coins = (await listSpendableCoins(context)).filter(({ txid, vout }) => !held.has(`${txid}:${vout}`))
  const plan = planLanes({
    lanes,
    coins,
    queue,
    remaining: remainingOf(items, queue),
    maxLanes: config.writerLanes,
    feeRate: await readFeeRate(rpc, blockchain),
    dust: CHAINS[blockchain].dust,
    changeScript: lanes[0]?.script ?? (await newChangeScript(rpc, blockchain)),
    nextLaneId: await selectNextLaneId(db, blockchain),
  })
  if (plan.transactions.length === 0) {
    if (full === 0)
      console.warn('coins_missing', blockchain, 'paid items wait: the wallet has no confirmed coins for their fees')
    return false
  }
  const data = await readData(context, items, queue)
  const planned = plan.transactions.flatMap(({ payload }) => payload ?? [])
  return await signAndStore(
    context,
    plan,
    ({ payload }) => payload && data.get(`${payload.itemId}/${payload.index}`),
    items.flatMap((item) => recordPlan(db, item, planned)),
  )
}

function recordPlan(db: D1Database, { write, cut, taken }: Unwritten, planned: readonly Payload[]) {
  const indexes = new Set(planned.filter(({ itemId }) => itemId === write.itemId).map(({ index }) => index))
  if (indexes.size === 0) return []
  const { itemId, nextIndex } = write
  return [
    ...planWriteStatements(db, itemId, cut.dataBytes, cut.transactions),
    advanceWriteStatement(db, itemId, firstFree(nextIndex, taken, indexes)),
  ]
}

/** All that may be written once the first transaction of each item is taken; of the others only that one. */
function remainingOf(items: readonly Unwritten[], queue: readonly Payload[]) {
  let transactions = 0
  for (const { write, cut, taken } of items) {
    transactions += write.state === 'queued' ? 1 : cut.transactions - write.nextIndex - taken.size
  }
  return { transactions: Math.max(transactions, queue.length) }
}

async function readLanes(context: AgentContext, unmined: readonly OwnTransaction[]): Promise<LaneState[]> {
  const { db, blockchain } = context
  const tips = new Map((await selectLaneTips(db, blockchain)).map((tip) => [tip.lane, tip]))
  const waiting = new Set(unmined.map(({ txid }) => txid))
  const lanes = await selectOpenLanes(db, blockchain)
  return lanes.map(({ id, coin, script }) => {
    const last = tips.get(id)
    const own = unmined.filter(({ lane }) => lane === id)
    return {
      id,
      script,
      tip: last ? { txid: last.txid, vout: last.changeVout, value: last.changeValue, script } : coin,
      seq: last ? last.seq + 1 : 0,
      unconfirmed: own.length,
      // What was signed is sent first; a coin split off is used once it is confirmed.
      ready: last ? own.every(({ state }) => state === 'sent') : !waiting.has(coin.txid),
    }
  })
}

/** The bytes of the payloads, each item's in one read. */
async function readData(
  { bucket }: AgentContext,
  items: readonly Unwritten[],
  queue: readonly Payload[],
): Promise<Map<string, Uint8Array>> {
  const data = new Map<string, Uint8Array>()
  for (const { write, cut } of items) {
    const own = queue.filter(({ itemId }) => itemId === write.itemId)
    const [first] = own
    const last = own.at(-1)
    if (!first || !last) continue
    const offset = first.index * cut.dataBytes
    const length = last.index * cut.dataBytes + last.length - offset
    const object = await bucket.get(storedKey(write.itemId), { range: { offset, length } })
    const bytes = object ? new Uint8Array(await object.arrayBuffer()) : undefined
    if (bytes?.length !== length) throw new Error(`The stored bytes of item ${write.itemId} are not there`)
    for (const { itemId, index, length } of own) {
      const start = index * cut.dataBytes - offset
      data.set(`${itemId}/${index}`, bytes.subarray(start, start + length))
    }
  }
  return data
}
