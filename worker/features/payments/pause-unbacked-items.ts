import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { readInTurn } from '../../platform/d1/read-in-turn.ts'
import { resumeItemsStatements, stopItemsStatements } from '../items/sql/move-items.ts'
import { selectItemsOfRequests } from '../items/sql/writes.ts'
import { minimumDue, sumOutputs } from './decide-request.ts'
import { selectLeft } from './sql/ledger.ts'
import { selectOutputsByAddress } from './sql/outputs.ts'
import { type PaymentRequest, selectRequestsInDoubt } from './sql/payment-requests.ts'

const REASON =
  'The payment for this item left the chain in a reorganisation. Writing continues automatically once it is mined again. If another transaction has replaced it for good, the operator has to decide.'

/** Requests looked at in one step, and if there are more, as many others in turn: of items that are written, and of paused ones. */
const WRITTEN_PER_STEP = 100
const PAUSED_PER_STEP = 20

/** Pauses items whose payment a reorganisation has removed, and resumes them when the money is back. */
export async function pauseUnbackedItems(context: AgentContext): Promise<void> {
  const { db, blockchain, now } = context
  const written = await readInTurn({ limit: WRITTEN_PER_STEP, now }, (from) =>
    selectRequestsInDoubt(db, blockchain, 'written', { from, limit: WRITTEN_PER_STEP }),
  )
  // Apart: many of them, which wait for their money, must not keep others from being paused.
  const paused = await readInTurn({ limit: PAUSED_PER_STEP, now }, (from) =>
    selectRequestsInDoubt(db, blockchain, 'paused', { from, limit: PAUSED_PER_STEP }),
  )
  const requests = new Map([...written, ...paused].map((request) => [request.id, request]))
  const isBacked = await readBacking(context, [...requests.values()])
  const backed: string[] = []
  const lost: string[] = []
  for (const request of requests.values()) {
    if (isBacked(request)) backed.push(request.id)
    else lost.push(request.id)
  }
  const pausing = await selectItemsOfRequests(db, lost, ['queued', 'writing'])
  if (pausing.length > 0) await batchIf(db, stopItemsStatements(db, pausing, 'paused', REASON, now))
  const resuming = await selectItemsOfRequests(db, backed, ['paused'])
  if (resuming.length > 0) await batchIf(db, resumeItemsStatements(db, resuming, 'paused', now))
}

/** Reads what paid these requests together; the result says of one whether that is in blocks. */
async function readBacking(
  { db, blockchain, config }: AgentContext,
  requests: readonly PaymentRequest[],
): Promise<(request: PaymentRequest) => boolean> {
  const addresses = requests.flatMap(({ address }) => address ?? [])
  const byAddress = Map.groupBy(await selectOutputsByAddress(db, blockchain, addresses), ({ address }) => address)
  const left = await selectLeft(db, blockchain, requests)
  return ({ id, address = '', amount }) => {
    const outputs = byAddress.get(address) ?? []
    // The payment is lost for good. An operator decides whether its items are written all the same.
    if (outputs.some(({ credited, writtenOff }) => writtenOff > 0 && !credited)) return false
    const credited = outputs.filter((output) => output.credited)
    const came = sumOutputs(credited)
    if (came >= minimumDue(amount, config.paymentTolerancePercent)) {
      const paid = came < amount ? came : amount
      return sumOutputs(credited.filter(({ blockHeight }) => blockHeight !== undefined)) >= paid
    }
    // Paid from the balance: backed while that covers all that is off the chain now, and what was written off since at a loss.
    return (left.get(id) ?? 0n) >= 0n
  }
}
