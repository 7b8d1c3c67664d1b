import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { assertTipStatement, type BlockPosition } from '../../chain/follower/blocks.ts'
import { eachRecord } from '../../chain/follower/each-record.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { insertEventsStatements } from '../../platform/records/event-queue.ts'
import { type DepthRule, sumOutputs } from './decide-request.ts'
import { creditEvent } from './request-event.ts'
import { creditOf, insertLedgerStatement, selectLedgerTail } from './sql/ledger.ts'
import { type CreditableOutput, markCreditedStatements, selectCreditable } from './sql/outputs.ts'
import { assertSmallStatement, markSmallStatement, selectSmallDeposits } from './sql/small-deposits.ts'

/** Outputs credited, and accounts that they are credited to, in one step. */
const CREDITS_PER_STEP = 500
const USERS_PER_STEP = 20

/**
 * Credits outputs with enough confirmations that pay no open request. Deposits of an account remain pending while they
 * are in total below the minimum deposit. Money at the address of a request is credited regardless of its amount. `false` where more is
 * to be credited than one step does.
 */
export async function creditBalances(context: AgentContext, tip: BlockPosition, rule: DepthRule): Promise<boolean> {
  const { db, blockchain, config } = context
  const { confirmationsAbove, minDeposit } = config.chains[blockchain]
  const deep = {
    height: rule.tipHeight - rule.confirmations + 1,
    coinbaseHeight: rule.tipHeight - Math.max(rule.confirmations, rule.coinbaseMaturity) + 1,
    above: confirmationsAbove.map(({ from, confirmations }) => ({ from, height: rule.tipHeight - confirmations + 1 })),
    least: minDeposit,
    limit: CREDITS_PER_STEP,
  }
  const outputs = await selectCreditable(db, blockchain, deep)
  const byUser = Map.groupBy(outputs, ({ userId }) => userId)
  const credits = [...byUser].slice(0, USERS_PER_STEP).map(([id, fresh]) => ({ id, fresh }))
  await eachRecord(context, 'credit', credits, async ({ id: userId, fresh }) => {
    const deposits = fresh.filter(({ kind }) => kind === 'deposit')
    if (deposits.length === 0) return await credit(context, tip, userId, fresh)
    const small = await selectSmallDeposits(db, blockchain, userId, deep)
    const together = sumOutputs([...deposits, ...small])
    if (together >= deep.least) return await credit(context, tip, userId, [...fresh, ...small])
    const marked = await batchIf(db, [
      assertTipStatement(db, blockchain, tip),
      // More deposits may have arrived since the read, and another step that did not see these may mark them.
      assertSmallStatement(db, blockchain, userId, deep),
      markSmallStatement(db, blockchain, deposits, deep.least),
    ])
    // If more deposits have arrived, the next step sees all of them and credits them together if they are enough.
    if (!marked) return
    const others = fresh.filter(({ kind }) => kind !== 'deposit')
    await credit(context, tip, userId, others)
  })
  return byUser.size <= USERS_PER_STEP && outputs.length < CREDITS_PER_STEP
}

async function credit(
  { db, blockchain, now }: AgentContext,
  tip: BlockPosition,
  userId: string,
  settled: readonly CreditableOutput[],
): Promise<void> {
  if (settled.length === 0) return
  const tail = await selectLedgerTail(db, userId, blockchain)
  await batchIf(db, [
    // Counted on this tip: another step may have followed a chain since that holds these less deep, or not at all.
    assertTipStatement(db, blockchain, tip),
    ...markCreditedStatements(db, blockchain, settled),
    insertLedgerStatement(db, { userId, blockchain }, tail, settled.map(creditOf), now),
    ...insertEventsStatements(
      db,
      settled.map((output) => creditEvent(output.kind, { ...output, blockchain }, now)),
    ),
  ])
}
