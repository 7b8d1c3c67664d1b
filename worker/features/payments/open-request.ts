import { withIndex } from '../../../contract/content-index.ts'
import { CHAINS, type StorageTarget } from '../../../protocol/chains.ts'
import { newAddress, readReceived } from '../../chain/rpc/address-methods.ts'
import { readBestBlock } from '../../chain/rpc/block-methods.ts'
import { readFeeRate } from '../../chain/rpc/fund-methods.ts'
import type { Config } from '../../platform/config/config.ts'
import { payChain } from '../../platform/config/pay-chain.ts'
import { batchIf, ROUNDS } from '../../platform/d1/guarded-batch.ts'
import { AppError, invalidField, notFound } from '../../platform/http/errors.ts'
import type { ApiKey } from '../auth/sql/api-keys.ts'
import { assertUnpaidStatement, payItemsStatements } from '../items/sql/move-items.ts'
import { type PayableItem, selectPayableItems, updateItemTimesStatement } from '../items/sql/payable-items.ts'
import { addressLabel } from '../transactions/address-label.ts'
import { insertAddressStatement } from '../transactions/sql/addresses.ts'
import { requireKeys } from './check-key-pool.ts'
import { isAlive, sumOutputs } from './decide-request.ts'
import { type PaymentContext, requirePolicy, requireWallet, requireWriting, withWallet } from './payment-context.ts'
import { type PricedItem, price } from './price.ts'
import { spendByKey } from './spend-by-key.ts'
import {
  assertCoveredStatement,
  insertLedgerStatement,
  type LedgerTail,
  selectLedgerTail,
  selectSuspended,
} from './sql/ledger.ts'
import { type Output, selectOutputsByAddress } from './sql/outputs.ts'
import {
  insertRequestStatements,
  moveRequestStatements,
  type PaymentRequest,
  selectWaitingRequest,
} from './sql/payment-requests.ts'

/** `paid`: nothing is left to pay; `waiting`: money is due at the request's address, `received` of it is there. */
export type OpenOutcome =
  | { state: 'paid'; message: string }
  | { state: 'waiting'; request: WaitingRequest; received: bigint }

type WaitingRequest = PaymentRequest & { address: string }

/** What a caller orders payment for; `ids` without repetition. */
export interface NewPaymentRequest {
  userId: string
  target: StorageTarget
  ids: readonly string[]
  /** The API key of the caller. Its limit applies to payments from the balance. */
  key?: Pick<ApiKey, 'id' | 'spending'> | undefined
  /** The most that the balance may pay for them, in base units; what is dearer is requested at an address. */
  maxFromBalance?: bigint | undefined
}

type Payable = Pick<PaymentRequest, 'id' | 'userId' | 'blockchain' | 'amount'>

const PAID_FROM_BALANCE: OpenOutcome = {
  state: 'paid',
  message: 'Paid from your balance. The items are being written.',
}

/**
 * The open request for a set of items: the one there is, or a new one with an address and a price of its own. A
 * balance that covers the whole pays at once, unless the caller allowed it less.
 * @throws {AppError} 404, 400, 409, 503
 */
export async function openRequest(context: PaymentContext, order: NewPaymentRequest): Promise<OpenOutcome> {
  for (let round = 0; round < ROUNDS; round++) {
    const outcome = await tryToOpen(context, order)
    if (outcome) return outcome
  }
  throw new AppError(409, 'request_changing', 'Another payment request for these items is being made. Try again.')
}

/** The outcome, or `undefined` if what was read had changed before it was written. */
async function tryToOpen(context: PaymentContext, order: NewPaymentRequest): Promise<OpenOutcome | undefined> {
  const { db, now } = context
  const items = await selectPayableItems(db, order.userId, order.ids)
  if (nothingLeft(items, order)) return { state: 'paid', message: 'Nothing is left to pay for these items.' }
  const itemIds = [...order.ids].sort()
  const waiting = await selectWaitingRequest(db, itemIds)
  const outputs = waiting ? await selectOutputsByAddress(db, waiting.blockchain, [waiting.address]) : []
  if (waiting && now > waiting.expiresAt && waiting.state === 'open') {
    // With money on its way, or seen before, the chain's agent decides: it may have been in time.
    if (outputs.length === 0 && !(await wasReceived(context, order.target, waiting))) {
      await batchIf(db, moveRequestStatements(db, waiting, ['open'], 'expired', now))
      return undefined
    }
  }
  if (waiting && waiting.itemIds.join() !== itemIds.join()) {
    await releaseBroken(context, waiting)
    throw new AppError(
      409,
      'items_in_other_request',
      `Some of these items wait for payment at ${waiting.address}. Pay or cancel that request first.`,
    )
  }
  if (waiting) return await showOrPay(context, waiting, outputs, order)
  return await open(context, order, items, itemIds)
}

/** @throws {AppError} when the items can't be paid for together. */
function nothingLeft(items: readonly PayableItem[], { target, ids }: NewPaymentRequest): boolean {
  if (items.length < ids.length) {
    const missing = ids.find((id) => !items.some((item) => item.id === id))
    throw notFound(`You have no item ${missing}.`)
  }
  const foreign = items.find(({ blockchain }) => blockchain !== target)
  if (foreign)
    throw invalidField('blockchain', `is not that of item ${foreign.id}, which is for ${foreign.blockchain}.`)
  const part = items.find(({ partOf }) => partOf !== undefined)
  if (part) {
    throw new AppError(409, 'item_in_directory', `Item ${part.id} is part of directory ${part.partOf}. Pay for that.`)
  }
  const uploading = items.find(({ state }) => state === 'uploading' || state === 'merging')
  if (uploading) {
    throw new AppError(409, 'item_not_payable', `Item ${uploading.id} is still being uploaded. Merge it first.`)
  }
  const paid = items.filter(({ state }) => state !== 'unpaid')
  if (paid.length === items.length) return true
  if (paid[0]) throw new AppError(409, 'item_not_payable', `Item ${paid[0].id} is paid for. Ask for the others alone.`)
  return false
}

/** Whether the node ever saw money at the address of a request. @throws {AppError} 503 */
async function wasReceived(
  context: PaymentContext,
  target: StorageTarget,
  { address }: WaitingRequest,
): Promise<boolean> {
  return (await withWallet(context, target, (rpc) => readReceived(rpc, address))) > 0n
}

/**
 * Cancels a request if one of its items was deleted: it can't be requested again, and must not block its other items.
 */
async function releaseBroken({ db, now }: PaymentContext, request: PaymentRequest): Promise<void> {
  if (await batchIf(db, [assertUnpaidStatement(db, request.userId, request.itemIds)])) return
  await batchIf(db, moveRequestStatements(db, request, ['open'], 'cancelled', now))
}

async function showOrPay(
  context: PaymentContext,
  request: WaitingRequest,
  outputs: readonly Output[],
  { key, maxFromBalance }: NewPaymentRequest,
): Promise<OpenOutcome | undefined> {
  const { db, now } = context
  const received = sumOutputs(outputs.filter(isAlive))
  if (received === 0n && request.state === 'open') {
    const tail = await payableTail(context, request, maxFromBalance)
    if (tail) {
      const paid = await batchIf(db, [
        ...(await spendByKey(db, key, request, now)),
        ...moveRequestStatements(db, request, ['open'], 'settled', now),
        ...debit(context, request, tail),
        ...payItemsStatements(db, request, now),
      ])
      return paid ? PAID_FROM_BALANCE : undefined
    }
  }
  // Without the node it is unknown what was received. The answer must not request money that was paid already.
  await withWallet(context, request.target, (rpc) => readBestBlock(rpc))
  return { state: 'waiting', request, received }
}

async function open(
  context: PaymentContext,
  { userId, target, key, maxFromBalance }: NewPaymentRequest,
  items: readonly PayableItem[],
  itemIds: string[],
): Promise<OpenOutcome | undefined> {
  const { db, config, now } = context
  const blockchain = payChain(target, config)
  return await withWallet(context, target, async (rpc) => {
    const feeRate = await readFeeRate(rpc, blockchain, { quote: true })
    const { amount, networkFee, storageFee } = price(
      items.map((item) => pricedItem(item, config)),
      {
        feeRate,
        pricePerKib: (target === 'IPFS' ? config.ipfs : config.chains[target]).pricePerKib,
        txChains: config.maxTxChains,
        facts: CHAINS[blockchain],
      },
    )
    const request = {
      id: crypto.randomUUID(),
      userId,
      target,
      blockchain,
      itemIds,
      amount,
      feeRate,
      parts: { networkFee, storageFee },
      createdAt: now,
      expiresAt: now + 1000 * config.paymentExpirySeconds,
    }
    const [tail] = await Promise.all([
      payableTail(context, request, maxFromBalance),
      requireWallet(context, rpc, target, networkFee),
      requireWriting(db, target),
      requirePolicy(context, rpc, target),
    ])
    if (tail) {
      const paid = await batchIf(db, [
        ...(await spendByKey(db, key, request, now)),
        ...insertRequestStatements(db, { ...request, address: undefined, state: 'settled' }),
        ...debit(context, request, tail),
        ...payItemsStatements(db, request, now),
      ])
      return paid ? PAID_FROM_BALANCE : undefined
    }
    await requireKeys(context, rpc, target, userId)
    const { address, script } = await newAddress(rpc, addressLabel({ kind: 'request', userId, requestId: request.id }))
    const opened = { ...request, address, state: 'open' as const }
    const inserted = await batchIf(db, [
      assertUnpaidStatement(db, userId, itemIds),
      insertAddressStatement(db, { blockchain, address, script, userId, kind: 'request' }, now),
      ...insertRequestStatements(db, opened),
      updateItemTimesStatement(db, itemIds, now),
    ])
    return inserted ? { state: 'waiting', request: opened, received: 0n } : undefined
  })
}

/** An item as it would be written now: the writer cuts it by the settings of the moment, not by those of its merge. */
function pricedItem({ storedSize, blockchain, index }: PayableItem, { chains }: Pick<Config, 'chains'>): PricedItem {
  if (blockchain === 'IPFS') return { storedSize, transactions: 0 }
  const parts = { storedSize, transactions: Math.ceil(storedSize / chains[blockchain].maxDataBytes) }
  return index ? withIndex(parts, index) : parts
}

/** The end of the user's ledger when what can be spent of it covers the amount, and the caller allows as much. */
async function payableTail(
  { db }: PaymentContext,
  request: Payable,
  most: bigint | undefined,
): Promise<LedgerTail | undefined> {
  const { userId, blockchain, amount } = request
  if (most !== undefined && amount > most) return undefined
  const tail = await selectLedgerTail(db, userId, blockchain)
  if (tail.balance < amount) return undefined
  return tail.balance - (await selectSuspended(db, userId, blockchain)) >= amount ? tail : undefined
}

/** The statements that debit a request's amount from the balance: once, and never money that is off the chain. */
function debit({ db, now }: PaymentContext, request: Payable, tail: LedgerTail): D1PreparedStatement[] {
  const move = { amount: -request.amount, cause: `request:${request.id}` }
  return [
    assertCoveredStatement(db, request, tail.balance - request.amount),
    insertLedgerStatement(db, request, tail, [move], now),
  ]
}
