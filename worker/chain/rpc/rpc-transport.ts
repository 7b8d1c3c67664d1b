import { meaningOf } from '../../../protocol/node-refusals.ts'
import type { RpcEndpoint } from '../../platform/config/parse-setting.ts'
import { readCapped } from '../../platform/flow/read-capped.ts'
import { foldList, type ListFold } from './fold-list.ts'
import { extractHex } from './hex-json.ts'

/** One JSON-RPC call. */
export interface RpcCall {
  method: string
  params: readonly unknown[]
}

/** The node's answer to one call; its errors are values here, because most of them are valid answers. */
export type RpcOutcome = { result: unknown } | { error: RefusedCall }

/** RPC error code and the node's sentence; what they mean: {@link meaningOf}. */
interface RefusedCall {
  code: number
  message: string
}

/**
 * Why a node returned no usable answer: `timeout` (also a refused or reset connection), `busy` (it wants a retry),
 * `not_indexed` (it cannot look up every transaction), `invalid_response` (no JSON-RPC, or an answer to something else),
 * `too_large` (over the limit of answers).
 */
export type NodeFailure = 'timeout' | 'busy' | 'not_indexed' | 'invalid_response' | 'too_large'

/** A node could not be reached, or its answer is unusable. */
export class NodeError extends Error {
  override name = 'NodeError'
  readonly failure: NodeFailure

  constructor(failure: NodeFailure, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.failure = failure
  }
}

export interface PostOptions {
  signal: AbortSignal
  /** Most bytes of an answer that are read. */
  maxBytes: number
  /** Return every number of the answer as its literal text: a `number` loses base units above 2^53. */
  literalNumbers?: boolean
  /** Return long hex results as bytes, see {@link extractHex}. */
  hexAsBytes?: boolean
  /** How the lists in the result of a single call are read as they arrive; in the outcome they are empty. */
  fold?: ListFold | undefined
  /** Path below the endpoint, such as `wallet/hookline`. */
  path?: string
}

/**
 * Sends the calls as one JSON-RPC batch, one HTTP request, and returns an outcome for each, in order.
 * @throws {NodeError}
 */
export async function postBatch(
  endpoint: RpcEndpoint,
  calls: readonly RpcCall[],
  options: PostOptions,
): Promise<RpcOutcome[]> {
  const batch = calls.map((call, id) => ({ jsonrpc: '1.0', id, method: call.method, params: call.params }))
  const headers = new Headers({ 'Content-Type': 'application/json' })
  if (endpoint.authorization) headers.set('Authorization', endpoint.authorization)
  const url = options.path ? `${endpoint.url.replace(/\/$/, '')}/${options.path}` : endpoint.url
  let status: number
  let body: string | Uint8Array
  try {
    // A redirect would carry the credentials to wherever it points.
    const init = {
      method: 'POST',
      headers,
      body: JSON.stringify(batch),
      redirect: 'manual',
      signal: options.signal,
    } as const
    const response = await fetch(url, init)
    status = response.status
    body = options.fold
      ? await readFolded(response, options.fold, options)
      : await readCapped(response, options.maxBytes, () => tooLong(options.maxBytes))
  } catch (cause) {
    if (cause instanceof NodeError) throw cause
    if (cause instanceof TakeFailed) throw cause.cause
    throw new NodeError('timeout', 'The node did not answer.', { cause })
  }
  const { text, hex } = readText(body, options)
  const outcomes = matchOutcomes(parseAnswer(text, status, options.literalNumbers ?? false), calls, status)
  return options.hexAsBytes ? outcomes.map((outcome) => putHexBack(outcome, hex)) : outcomes
}

function readText(body: string | Uint8Array, { hexAsBytes }: PostOptions): { text: string; hex: Uint8Array[] } {
  if (typeof body === 'string') return { text: body, hex: [] }
  return hexAsBytes ? extractHex(body) : { text: new TextDecoder().decode(body), hex: [] }
}

/** `take` of a list threw, which says nothing about the node. */
class TakeFailed extends Error {
  override name = 'TakeFailed'
}

/** The answer without the objects of its lists, which were passed to `fold`. @throws {NodeError} {@link TakeFailed} */
async function readFolded(
  { body, headers }: Response,
  fold: ListFold,
  { maxBytes, literalNumbers = false }: PostOptions,
): Promise<string> {
  if (Number(headers.get('Content-Length')) > maxBytes) {
    await body?.cancel()
    throw tooLong(maxBytes)
  }
  async function* parts(): AsyncGenerator<Uint8Array> {
    let length = 0
    for await (const part of body ?? []) {
      length += part.byteLength
      if (length > maxBytes) throw tooLong(maxBytes)
      yield part
    }
  }
  const take = async (objects: unknown[]) => {
    await fold.take(objects).catch((cause: unknown) => {
      throw new TakeFailed('The list was not processed.', { cause })
    })
  }
  try {
    return await foldList(parts(), { list: fold.list, take }, (text) => parseJson(text, literalNumbers))
  } catch (cause) {
    if (!(cause instanceof RangeError) && !(cause instanceof SyntaxError)) throw cause
    throw new NodeError('invalid_response', 'The node answered with a list that can not be read.', { cause })
  }
}

function tooLong(maxBytes: number): NodeError {
  return new NodeError('too_large', `The node's answer is over ${maxBytes} bytes.`)
}

function putHexBack(outcome: RpcOutcome, hex: readonly Uint8Array[]): RpcOutcome {
  return 'result' in outcome && typeof outcome.result === 'number' ? { result: hex[outcome.result] } : outcome
}

// Bitcoin Core answers 503, in plain text, when its work queue is full; Dogecoin Core 1.14 and Bitcoin Core before 22 answer 500.
const BUSY_STATUS = new Set([429, 503])
const QUEUE_FULL = /^Work queue depth exceeded/

function parseAnswer(text: string, status: number, literalNumbers: boolean): unknown {
  try {
    return parseJson(text, literalNumbers)
  } catch (cause) {
    if (BUSY_STATUS.has(status) || QUEUE_FULL.test(text))
      throw new NodeError('busy', `The node is busy: HTTP ${status}.`)
    throw new NodeError('invalid_response', `The node answered HTTP ${status} with something that is not JSON.`, {
      cause,
    })
  }
}

function parseJson(text: string, literalNumbers: boolean): unknown {
  return literalNumbers ? JSON.parse(text, keepLiteral) : JSON.parse(text)
}

function keepLiteral(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value
}

function matchOutcomes(answer: unknown, calls: readonly RpcCall[], status: number): RpcOutcome[] {
  const meaningAt = (index: number, error: RefusedCall) => meaningOf(calls[index]?.method ?? '', error)
  if (!Array.isArray(answer)) {
    const whole =
      typeof answer === 'object' && answer !== null && 'error' in answer ? readError(answer.error) : undefined
    if (whole)
      throw new NodeError(
        meaningAt(0, whole) === 'starting' ? 'busy' : 'invalid_response',
        `The node refused the batch: ${whole.message}`,
      )
    throw new NodeError('invalid_response', `The node answered HTTP ${status} with something that is not a batch.`)
  }
  const outcomes = new Array<RpcOutcome | undefined>(calls.length).fill(undefined)
  for (const entry of answer) {
    if (typeof entry !== 'object' || entry === null || !('id' in entry)) continue
    const id = Number(entry.id)
    const error = 'error' in entry ? readError(entry.error) : undefined
    if (error && meaningAt(id, error) === 'starting') throw new NodeError('busy', 'The node is still starting.')
    if (error) outcomes[id] = { error }
    else if ('result' in entry) outcomes[id] = { result: entry.result }
  }
  return outcomes.slice(0, calls.length).map((outcome) => {
    if (!outcome) throw new NodeError('invalid_response', 'The node left a call of the batch unanswered.')
    return outcome
  })
}

function readError(error: unknown): RefusedCall | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  const message = 'message' in error && typeof error.message === 'string' ? error.message : 'no message'
  return { code: Number(error.code), message }
}
