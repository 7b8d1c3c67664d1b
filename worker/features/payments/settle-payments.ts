import { CHAINS } from '../../../protocol/chains.ts'
import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { assertTipStatement, type BlockPosition } from '../../chain/follower/blocks.ts'
import { eachRecord, NOT_TRIED } from '../../chain/follower/each-record.ts'
import { selectFailedRecords } from '../../chain/follower/failed-records.ts'
import { newAddress } from '../../chain/rpc/address-methods.ts'
import { readBestBlock } from '../../chain/rpc/block-methods.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { rotatingPrefix } from '../../platform/d1/read-in-turn.ts'
import { insertEventStatement } from '../../platform/records/event-queue.ts'
import { assertUnpaidStatement, payItemsStatements } from '../items/sql/move-items.ts'
import { addressLabel } from '../transactions/address-label.ts'
import {
  insertAddressStatement,
  retireAddressStatement,
  selectUsedDepositAddresses,
} from '../transactions/sql/addresses.ts'
import { readDeeper } from './confirmations-above.ts'
import { creditBalances } from './credit-balances.ts'
import { type DepthRule, decideRequest, isSettled, sumOutputs, wasPaidInTime } from './decide-request.ts'
import { depositEvent } from './request-event.ts'
import { creditOf, insertLedgerStatement, selectLedgerTail } from './sql/ledger.ts'
import { markCreditedStatements, type Output, selectOutputsByAddress } from './sql/outputs.ts'
import {
  moveRequestStatements,
  type PaymentRequest,
  reopenRequestStatements,
  selectExpiredWithMoney,
  selectRequestsToDecide,
} from './sql/payment-requests.ts'

/** Requests read at a time. */
const PER_PAGE = 200
/** Pages read in a row: some 55 of the 1,000 statements that D1 allows an invocation. */
const PAGES_PER_STEP = 5
const REOPENED_PER_STEP = 20
/**
 * Requests whose state changes in one step: D1 allows some 1,000 statements per invocation, and each request needs up
 * to ten.
 */
/** How long after its expiry a request waits for money that was seen in time: a day, in which fees fall again. */
const GRACE_MS = 86_400_000
const MOVES_PER_STEP = 30
const ADDRESSES_PER_STEP = 20

/**
 * Moves requests on and credits what is deep enough, from what {@link recordPayments} wrote down. Money at the
 * address of a request that waits is stored for it; all other money goes to the balance of the address's user. `false` where more is
 * to be credited than one step does.
 */
export async function settlePayments(context: AgentContext, tip: BlockPosition): Promise<boolean> {
  const { db, rpc, blockchain, config, now } = context
  const rule = {
    tipHeight: tip.height,
    confirmations: config.chains[blockchain].confirmations,
    coinbaseMaturity: CHAINS[blockchain].coinbaseMaturity,
    graceMs: GRACE_MS,
    tolerancePercent: config.paymentTolerancePercent,
  }
  await reopenPaid(context, tip, rule.graceMs)
  // A block that arrived after the tip was read may contain what the mempool has lost: nothing expires on such a look.
  let steady: boolean | undefined
  const isSteady = async () => (steady ??= (await readBestBlock(rpc)).hash === tip.hash)
  // A transaction that could not be read yet may pay any of them, and in time.
  let unread: boolean | undefined
  const isUnread = async () => (unread ??= (await selectFailedRecords(db, blockchain, 'payment')).length > 0)
  const { requests, whole } = await readRequests(context)
  const deeper = await readDeeper(
    context,
    requests.flatMap(({ paying }) => paying.map(({ txid }) => txid)),
  )
  let moves = 0
  const decide = async ({ paying, ...request }: PaidRequest) => {
    const decision = decideRequest(request, paying, { ...rule, deeper }, now)
    if (decision === 'expire' && now <= request.expiresAt + rule.graceMs && (await isUnread())) return
    if (decision === 'stay') return
    if (moves++ >= MOVES_PER_STEP) return NOT_TRIED
    switch (decision) {
      case 'settle':
        return await settle(context, tip, request, paying, { ...rule, deeper })
      case 'expire':
        if (!(await isSteady())) return
        return await batchIf(db, [
          assertTipStatement(db, blockchain, tip),
          ...moveRequestStatements(db, request, ['open', 'seen'], 'expired', now),
        ])
      case 'seen':
        return await batchIf(db, moveRequestStatements(db, request, ['open'], 'seen', now))
      case 'open':
        if (!(await isSteady())) return
        return await batchIf(db, moveRequestStatements(db, request, ['seen'], 'open', now))
    }
  }
  await eachRecord(context, 'request', requests, decide, { whole })
  await replaceUsedAddresses(context)
  return await creditBalances(context, tip, rule)
}

type PaidRequest = PaymentRequest & { paying: Output[] }

/**
 * Requests that something may be decided about, those with money first. Where there are more than a step may ask for, the
 * others have their turn in the next ones; then these are not the `whole`.
 */
async function readRequests(context: AgentContext): Promise<{ requests: PaidRequest[]; whole: boolean }> {
  const first = await readPages(context, '')
  const others = first.whole ? [] : (await readPages(context, rotatingPrefix(context.now))).requests
  const requests = [...new Map([...first.requests, ...others].map((one) => [one.id, one])).values()]
  const hasMoney = ({ paying }: PaidRequest) => paying.length > 0
  return {
    requests: [...requests.filter(hasMoney), ...requests.filter((request) => !hasMoney(request))],
    whole: first.whole,
  }
}

/** The requests behind `after`, a few pages of them, and whether there are no more. */
async function readPages({ db, blockchain, now }: AgentContext, after: string) {
  const requests: PaidRequest[] = []
  let last = after
  for (let page = 0; page < PAGES_PER_STEP; page++) {
    const found = await selectRequestsToDecide(db, blockchain, now, { after: last, limit: PER_PAGE })
    const addresses = found.flatMap(({ address }) => address ?? [])
    const outputs = await selectOutputsByAddress(db, blockchain, addresses)
    for (const request of found) {
      requests.push({ ...request, paying: outputs.filter(({ address }) => address === request.address) })
    }
    last = found.at(-1)?.id ?? last
    if (found.length < PER_PAGE) return { requests, whole: true }
  }
  return { requests, whole: false }
}

/**
 * Reopens requests that expired while their money was in blocks that the node did not have yet: it was down, or had not
 * caught up. If a new request was made for their items in between, the money becomes balance.
 */
async function reopenPaid(
  { db, blockchain, config, now }: AgentContext,
  tip: BlockPosition,
  graceMs: number,
): Promise<void> {
  const tolerance = config.paymentTolerancePercent
  const expired = await selectExpiredWithMoney(db, blockchain, { since: now - graceMs, tolerance, limit: PER_PAGE })
  if (expired.length === 0) return
  const addresses = expired.flatMap(({ address }) => address ?? [])
  const outputs = await selectOutputsByAddress(db, blockchain, addresses)
  const isPaid = (request: PaymentRequest) =>
    wasPaidInTime(
      request,
      outputs.filter(({ address }) => address === request.address),
      tolerance,
    )
  for (const request of expired.filter(isPaid).slice(0, REOPENED_PER_STEP)) {
    await batchIf(db, [
      assertTipStatement(db, blockchain, tip),
      assertUnpaidStatement(db, request.userId, request.itemIds),
      ...reopenRequestStatements(db, request, now),
    ])
  }
}

async function settle(
  context: AgentContext,
  tip: BlockPosition,
  request: PaymentRequest,
  outputs: readonly Output[],
  rule: DepthRule,
): Promise<void> {
  const { db, blockchain, now } = context
  const paid = outputs.filter((output) => isSettled(output, rule) && !output.credited)
  const tail = await selectLedgerTail(db, request.userId, blockchain)
  // The tolerated shortfall is not debited.
  const sum = sumOutputs(paid)
  const debit = { amount: sum < request.amount ? -sum : -request.amount, cause: `request:${request.id}` }
  const settled = await batchIf(db, [
    assertTipStatement(db, blockchain, tip),
    ...moveRequestStatements(db, request, ['open', 'seen'], 'settled', now),
    ...markCreditedStatements(db, blockchain, paid),
    insertLedgerStatement(db, request, tail, [...paid.map(creditOf), debit], now),
    ...payItemsStatements(db, request, now),
  ])
  if (settled || (await batchIf(db, [assertUnpaidStatement(db, request.userId, request.itemIds)]))) return
  // An item was removed while the money was on its way: what was paid becomes balance.
  console.warn('items_gone', blockchain, `request ${request.id} was paid for items that are gone`)
  await batchIf(db, moveRequestStatements(db, request, ['open', 'seen'], 'cancelled', now))
}

/** Retires each deposit address that received money, and issues the next one to its user. */
async function replaceUsedAddresses(context: AgentContext): Promise<void> {
  const { db, rpc, blockchain, now } = context
  const used = await selectUsedDepositAddresses(db, blockchain, ADDRESSES_PER_STEP)
  const records = used.map((address) => ({ id: address.address, address }))
  // A locked wallet with an empty key pool has no new one: the old one stays, and nothing else waits for it.
  await eachRecord(context, 'address', records, async ({ address: { address: replaces, userId } }) => {
    const { address, script } = await newAddress(rpc, addressLabel({ kind: 'deposit', userId, requestId: undefined }))
    const next = { blockchain, address, script, userId, kind: 'deposit' as const, replaces }
    await batchIf(db, [
      retireAddressStatement(db, blockchain, replaces),
      insertAddressStatement(db, next, now),
      insertEventStatement(db, depositEvent({ userId, blockchain, address: replaces }, now)),
    ])
  })
}
