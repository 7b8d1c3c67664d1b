import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { resumeItemsStatements, stopItemsStatements } from '../items/sql/move-items.ts'
import { minimumDue, sumOutputs } from './decide-request.ts'
import { rotatingPrefix } from './rotating-prefix.ts'
import { selectLedgerTail, selectSuspended } from './sql/ledger.ts'
import { selectOutputsByAddress } from './sql/outputs.ts'
import { type PaymentRequest, selectItemsOfRequests, selectRequestsInDoubt } from './sql/payment-requests.ts'

const REASON =
  'The payment for this item left the chain in a reorganisation. Writing continues automatically once it is mined again.'

/** Requests looked at in one step. */
const PER_STEP = 40

/** Pauses items whose payment a reorganisation has removed, and resumes them when the money is back. */
export async function pauseUnbackedItems(context: AgentContext): Promise<void> {
  const { db, blockchain, config, now } = context
  // Starts at a different place each time: if there are more than fit into a step, all are reached in turn.
  const first = await selectRequestsInDoubt(db, blockchain, { after: rotatingPrefix(now), limit: PER_STEP })
  const rest = await selectRequestsInDoubt(db, blockchain, { after: '', limit: PER_STEP })
  const requests = [...new Map([...first, ...rest].map((request) => [request.id, request])).values()].slice(0, PER_STEP)
  const backed: string[] = []
  const lost: string[] = []
  for (const request of requests) {
    if (await isBacked(db, request, config.paymentTolerancePercent)) backed.push(request.id)
    else lost.push(request.id)
  }
  const pausing = await selectItemsOfRequests(db, lost, ['queued', 'writing'])
  if (pausing.length > 0) await batchIf(db, stopItemsStatements(db, pausing, 'paused', REASON, now))
  const resuming = await selectItemsOfRequests(db, backed, ['paused'])
  if (resuming.length > 0) await batchIf(db, resumeItemsStatements(db, resuming, 'paused', now))
}

async function isBacked(db: D1Database, request: PaymentRequest, tolerancePercent: number): Promise<boolean> {
  const { address, userId, blockchain } = request
  const outputs = address === undefined ? [] : await selectOutputsByAddress(db, blockchain, [address])
  // The payment is lost for good. An operator decides whether its items are written all the same.
  if (outputs.some(({ credited, writtenOff }) => writtenOff > 0 && !credited)) return false
  const credited = outputs.filter((output) => output.credited)
  const came = sumOutputs(credited)
  if (came >= minimumDue(request.amount, tolerancePercent)) {
    const paid = came < request.amount ? came : request.amount
    return sumOutputs(credited.filter(({ blockHeight }) => blockHeight !== undefined)) >= paid
  }
  // Paid from the balance: backed while the balance covers all that is off the chain now.
  const { balance } = await selectLedgerTail(db, userId, blockchain)
  return (await selectSuspended(db, userId, blockchain)) <= balance
}
