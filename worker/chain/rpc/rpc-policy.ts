import type { RpcEndpoint } from '../../platform/config/parse-setting.ts'
import { AllAttemptsFailed, hedgedRequest } from '../../platform/flow/hedged-request.ts'
import { AppError } from '../../platform/http/errors.ts'
import { NodeError, type NodeFailure } from './rpc-transport.ts'

/** A reader is answered within 10 s, no matter what the nodes do. */
export const RPC_READ_TIMEOUT_MS = 8_000
/** Milliseconds without an answer after which the next node is called too. */
const HEDGE_MS = 1_500
const PAUSE_MS = 150

type NodeFailureCode = 'node_timeout' | 'node_unreachable' | 'node_not_indexed' | 'node_bad_answer'

/** No node returned a usable answer: 502, or 504 if all of them timed out. */
export class NodesFailed extends AppError<NodeFailureCode> {
  readonly failures: readonly NodeError[]

  constructor(status: 502 | 504, code: NodeFailureCode, message: string, failures: readonly NodeError[]) {
    super(status, code, message, { headers: { 'Retry-After': '5' }, cause: failures.map((failure) => failure.message) })
    this.failures = failures
  }
}

/** Whether a failed read is worth asking of a lone node again. */
function shouldRetry(failure: NodeFailure): boolean {
  switch (failure) {
    case 'busy': // it said so itself
      return true
    case 'timeout': // also the result of a keep-alive connection that the node had closed
      return true
    case 'invalid_response': // the same node would say the same again
    case 'not_indexed':
    case 'too_large':
      return false
  }
}

let turn = 0

/**
 * The first usable answer of the nodes; each request starts with another node. If one fails, the next is called at once; if
 * one is slow, the next is called in parallel. `attempt` throws a {@link NodeError} for an answer that is invalid.
 * @throws {NodesFailed} if all failed or the time is over; {@link AppError} 503 if there is no node.
 */
export async function requestFromNodes<T>(
  nodes: readonly RpcEndpoint[],
  attempt: (node: RpcEndpoint, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (nodes.length === 0)
    throw new AppError(503, 'chain_not_configured', 'This service has no node of that blockchain.')
  const first = turn++ % nodes.length
  const order = [...nodes.slice(first), ...nodes.slice(0, first)]
  let retries = nodes.length === 1 ? 1 : 0
  const retryAfter = (error: unknown) =>
    error instanceof NodeError && shouldRetry(error.failure) && retries-- > 0 ? PAUSE_MS : undefined
  const isFatal = (error: unknown) => !(error instanceof NodeError)
  try {
    const asking = { hedgeMs: HEDGE_MS, hedgeWidth: 1, deadlineMs: RPC_READ_TIMEOUT_MS, retryAfter, isFatal }
    return await hedgedRequest(order, attempt, asking)
  } catch (error) {
    if (!(error instanceof AllAttemptsFailed)) throw error
    const failures = error.failures.filter((failure) => failure instanceof NodeError)
    throw error.late ? timedOut(failures) : giveUp(failures)
  }
}

function timedOut(failures: readonly NodeError[]): NodesFailed {
  const message = 'No node of that blockchain answered in time. Try again in a few seconds.'
  return new NodesFailed(504, 'node_timeout', message, failures)
}

function giveUp(failures: readonly NodeError[]): NodesFailed {
  const answered = failures.filter(({ failure }) => failure !== 'timeout' && failure !== 'busy')
  if (answered.length === 0) {
    const message = 'No node of that blockchain can be reached. Try again in a few seconds.'
    return new NodesFailed(502, 'node_unreachable', message, failures)
  }
  if (answered.every(({ failure }) => failure === 'not_indexed')) {
    const message =
      'The node of that blockchain cannot look up every transaction: its index is missing or not complete. Try again later.'
    return new NodesFailed(502, 'node_not_indexed', message, failures)
  }
  const message = 'The node of that blockchain returned an invalid response. Try again later.'
  return new NodesFailed(502, 'node_bad_answer', message, failures)
}
