import { CHAINS } from '../../protocol/chains.ts'
import { newAddress } from '../chain/address-methods.ts'
import { readBestBlock } from '../chain/block-methods.ts'
import type { AgentContext } from '../chain-follower/agent-context.ts'
import { assertTipStatement, type BlockPosition } from '../storage/chain/blocks.ts'
import { batchIf } from '../storage/guarded-batch.ts'
import { assertUnpaidStatement, payItemsStatements } from '../storage/items/move-items.ts'
import {
  type Address,
  insertAddressStatement,
  retireAddressStatement,
  selectAddresses,
} from '../storage/payments/addresses.ts'
import { insertLedgerStatement, type LedgerMove, selectLedgerTail } from '../storage/payments/ledger.ts'
import {
  markCreditedStatement,
  type Output,
  selectNotCredited,
  selectOutputsByAddress,
} from '../storage/payments/outputs.ts'
import { moveRequestStatements, type PaymentRequest, selectRequests } from '../storage/payments/payment-requests.ts'
import { type DepthRule, decideRequest, isSettled } from './decide-request.ts'

/**
 * Moves requests on and credits what is deep enough, from what {@link recordPayments} wrote down. Money at the
 * address of a request that waits is kept for it; all other money goes to the balance of the address's user.
 */
export async function settlePayments(context: AgentContext, tip: BlockPosition): Promise<void> {
  const { db, rpc, blockchain, config, now } = context
  const rule = {
    tipHeight: tip.height,
    confirmations: config.chains[blockchain].confirmations,
    coinbaseMaturity: CHAINS[blockchain].coinbaseMaturity,
    graceMs: 1000 * config.paymentGraceSeconds,
  }
  const requests = await selectRequests(db, blockchain, ['open', 'seen'])
  const addresses = requests.flatMap(({ address }) => address ?? [])
  const outputs = await selectOutputsByAddress(db, blockchain, addresses)
  // A block that came after the tip was read may hold what the mempool has lost: nothing is taken back on such a look.
  let steady: boolean | undefined
  const isSteady = async () => (steady ??= (await readBestBlock(rpc)).hash === tip.hash)
  for (const request of requests) {
    const paying = outputs.filter(({ address }) => address === request.address)
    switch (decideRequest(request, paying, rule, now)) {
      case 'settle':
        await settle(context, tip, request, paying, rule)
        break
      case 'expire':
        if (!(await isSteady())) break
        await batchIf(db, [
          assertTipStatement(db, blockchain, tip),
          ...moveRequestStatements(db, request, ['open', 'seen'], 'expired'),
        ])
        break
      case 'seen':
        await batchIf(db, moveRequestStatements(db, request, ['open'], 'seen'))
        break
      case 'open':
        if (!(await isSteady())) break
        await batchIf(db, moveRequestStatements(db, request, ['seen'], 'open'))
        break
      case 'stay':
        break
    }
  }
  await creditRest(context, rule)
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
  const debit = { amount: -request.amount, cause: `request:${request.id}` }
  const settled = await batchIf(db, [
    assertTipStatement(db, blockchain, tip),
    ...moveRequestStatements(db, request, ['open', 'seen'], 'settled'),
    insertLedgerStatement(db, request, tail, [...paid.map(creditOf), debit], now),
    markCreditedStatement(db, blockchain, paid),
    ...payItemsStatements(db, request, now),
  ])
  if (settled || (await batchIf(db, [assertUnpaidStatement(db, request.userId, request.itemIds)]))) return
  // An item was removed while the money was on its way: what was paid becomes balance.
  console.warn('items_gone', blockchain, `request ${request.id} was paid for items that are gone`)
  await batchIf(db, moveRequestStatements(db, request, ['open', 'seen'], 'cancelled'))
}

function creditOf({ txid, vout, amount }: Output): LedgerMove {
  return { amount, cause: `output:${txid}:${vout}` }
}

async function creditRest(context: AgentContext, rule: DepthRule): Promise<void> {
  const { db, blockchain, now } = context
  const outputs = await selectNotCredited(db, blockchain)
  if (outputs.length === 0) return
  const addresses = await selectAddresses(db, blockchain, [...new Set(outputs.map(({ address }) => address))])
  const userOf = new Map(addresses.map(({ address, userId }) => [address, userId]))
  const waiting = new Set((await selectRequests(db, blockchain, ['open', 'seen'])).map(({ address }) => address))
  const byUser = new Map<string, Output[]>()
  for (const output of outputs) {
    const userId = userOf.get(output.address)
    if (userId === undefined || waiting.has(output.address) || !isSettled(output, rule)) continue
    byUser.set(userId, [...(byUser.get(userId) ?? []), output])
  }
  for (const [userId, settled] of byUser) {
    const tail = await selectLedgerTail(db, userId, blockchain)
    await batchIf(db, [
      insertLedgerStatement(db, { userId, blockchain }, tail, settled.map(creditOf), now),
      markCreditedStatement(db, blockchain, settled),
    ])
  }
  await replaceUsedAddresses(context, addresses)
}

/** A deposit address that received money is retired, and its user given the next. */
async function replaceUsedAddresses(context: AgentContext, addresses: readonly Address[]): Promise<void> {
  const { db, rpc, blockchain, now } = context
  for (const used of addresses) {
    if (used.kind !== 'deposit' || used.state !== 'current') continue
    const made = await newAddress(rpc).catch((error: unknown) => {
      // A locked wallet with an empty key pool gives none: the old one stays, and nothing else waits for it.
      console.warn('address_not_replaced', blockchain, used.address, error)
      return undefined
    })
    if (!made) return
    const { address, script } = made
    const next = { blockchain, address, script, userId: used.userId, kind: 'deposit' as const, replaces: used.address }
    await batchIf(db, [retireAddressStatement(db, blockchain, used.address), insertAddressStatement(db, next, now)])
  }
}
