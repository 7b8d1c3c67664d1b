import { AmountError, parseAmount } from '../../../protocol/amount.ts'
import type { ChainConfig } from '../../platform/config/config.ts'
import { isRecord } from '../../platform/http/is-record.ts'
import type { ListFold } from './fold-list.ts'
import { NodeError, postBatch, type RpcCall, type RpcOutcome } from './rpc-transport.ts'

/**
 * The outcome of each call to the node that has the wallet, in order. Every number of a result is its literal text. An answer of
 * more than `maxBytes` is not read; for a single call, `fold` receives a list as it arrives. Nothing is retried here: the reply
 * to a broadcast may be lost after it succeeded.
 * @throws {NodeError}
 */
export type WalletRpc = (
  calls: readonly RpcCall[],
  options?: { maxBytes?: number; fold?: ListFold },
) => Promise<RpcOutcome[]>

/** Of the agents, which have time (ms). */
const AGENT_TIMEOUT_MS = 20_000
/** Of a request whose caller waits for the answer (ms). */
export const CALLER_TIMEOUT_MS = 8_000
const MAX_ANSWER_BYTES = 64 << 20

/** The node of the first URL of `RPC_<CHAIN>` with the wallet that is set; `undefined` when the operator runs none. */
export function walletRpc(
  { rpc: [endpoint], wallet }: Pick<ChainConfig, 'rpc' | 'wallet'>,
  patience: number = AGENT_TIMEOUT_MS,
): WalletRpc | undefined {
  if (!endpoint) return undefined
  const path = wallet === undefined ? {} : { path: `wallet/${encodeURIComponent(wallet)}` }
  return async (calls, { maxBytes = MAX_ANSWER_BYTES, fold } = {}) => {
    if (calls.length === 0) return []
    // Ended with the answer: a request or an alarm has at most 10,000 timers, and `AbortSignal.timeout` keeps one for each call.
    const late = new AbortController()
    const timer = setTimeout(
      () => late.abort(new DOMException('The node did not answer in time.', 'TimeoutError')),
      patience,
    )
    try {
      return await postBatch(endpoint, calls, { signal: late.signal, maxBytes, literalNumbers: true, fold, ...path })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The results of any number of calls, with a limited number in each request. @throws {NodeError} */
export async function requestInParts(
  rpc: WalletRpc,
  calls: readonly RpcCall[],
  perRequest: number,
): Promise<RpcOutcome[]> {
  const outcomes: RpcOutcome[] = []
  for (let start = 0; start < calls.length; start += perRequest) {
    for (const outcome of await rpc(calls.slice(start, start + perRequest))) outcomes.push(outcome)
  }
  return outcomes
}

/** The node understood a call and refused it. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number

  constructor(method: string, error: { code: number; message: string }) {
    super(`${method}: ${error.code} ${error.message}`)
    this.code = error.code
  }
}

/** The result of one call. @throws {RpcError} when the node refused it; {@link NodeError}. */
export async function callNode(rpc: WalletRpc, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const [outcome] = await rpc([{ method, params }])
  return resultOf(method, outcome)
}

/** The result in an outcome. @throws {RpcError} when it is an error. */
export function resultOf(method: string, outcome: RpcOutcome | undefined): unknown {
  if (!outcome) throw new NodeError('invalid_response', `The node did not answer ${method}.`)
  if ('error' in outcome) throw new RpcError(method, outcome.error)
  return outcome.result
}

/** A node's answer as an object whose fields are to be checked one by one. @throws {NodeError} */
export function asObject(value: unknown, what: string): Record<string, unknown> {
  if (!isRecord(value)) throw new NodeError('invalid_response', `The node returned no object for ${what}.`)
  return value
}

/** @throws {NodeError} unless `value` is text. */
export function asText(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new NodeError('invalid_response', `The node returned no text for ${what}.`)
  return value
}

/** A whole number, from its literal text. @throws {NodeError} */
export function asInteger(value: unknown, what: string): number {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  if (Number.isNaN(number)) throw new NodeError('invalid_response', `The node returned no whole number for ${what}.`)
  return number
}

/** @throws {NodeError} unless `value` is a list. */
export function asList(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new NodeError('invalid_response', `The node returned no list for ${what}.`)
  return value
}

export function asAmount(value: unknown, what: string): bigint {
  try {
    return parseAmount(asText(value, what))
  } catch (cause) {
    if (!(cause instanceof AmountError)) throw cause
    throw new NodeError('invalid_response', `The node returned no amount for ${what}.`, { cause })
  }
}
