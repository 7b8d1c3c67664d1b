import { isRecord } from '../../client/http/parse-json.ts'
import { meaningOf } from '../../protocol/node-refusals.ts'
import type { FetchOptions } from '../../reader/fetch-bytes.ts'
import { fetchWithRetries } from '../../reader/fetch-with-retries.ts'
import { readWhole } from '../../reader/read-whole.ts'
import { ReaderError } from '../../reader/reader-error.ts'

/** The RPC of a chain's node, as its operator configured it. */
export interface ChainNode {
  /** Without user and password. */
  url: string
  /** The header `Authorization`; undefined if the node needs none. */
  authorization: string | undefined
}

/** Milliseconds without a byte after which a node counts as unreachable; it may read its disk for long. */
export const NODE_SILENCE = 60_000

/** A method of the node's RPC and its parameters. */
export interface NodeCall {
  method: string
  params: readonly (string | number | boolean)[]
}

/** The result of one call of a batch (JSON-RPC 1.0 and 2.0). */
export interface NodeAnswer {
  /** Not checked. */
  result: unknown
  error: { code: number; message: string } | undefined
}

/**
 * The answers of a node to calls that are sent together, in their order; one that the node left out has neither result nor error.
 * @param maxBytes of the answers together
 * @throws {ReaderError} `invalid_source` where the node refuses the credentials, `unavailable`, `network`, `timeout`, `too_large`
 */
export async function callNode(
  { url, authorization }: ChainNode,
  calls: readonly NodeCall[],
  { maxBytes, ...options }: FetchOptions & { maxBytes: number },
): Promise<NodeAnswer[]> {
  const json = calls.map((call, id) => ({ jsonrpc: '1.0', id, ...call }))
  const signed: FetchOptions['fetch'] = async (address, init) => {
    const headers = new Headers(init.headers)
    if (authorization) headers.set('Authorization', authorization)
    const response = await options.fetch(address, { ...init, headers, redirect: 'error' })
    if (response.status !== 401 && response.status !== 403) return response
    await response.body?.cancel()
    throw new ReaderError('invalid_source', `${address} refuses these credentials, or this address.`)
  }
  const body = await readWhole(fetchWithRetries({ url, json, maxBytes }, { ...options, fetch: signed }))
  const answers = parseAnswers(new TextDecoder().decode(body))
  return calls.map((_, id) => answers.get(id) ?? { result: undefined, error: undefined })
}

/** The error for an answer without the result that `method` has; `about` names what was asked for. */
export function refusalOf(method: string, error: NodeAnswer['error'], about: string): ReaderError {
  const said = `The node answered for ${about}: ${error?.message.slice(0, 200) ?? 'nothing'}`
  switch (error && meaningOf(method, error)) {
    case 'absent':
      return new ReaderError('not_found', said)
    case 'indexing':
      return new ReaderError(
        'unavailable',
        `The node still indexes its transactions, so it could not be asked. ${said}`,
      )
    case 'no_index':
      return new ReaderError(
        'unavailable',
        `The node has no index of its transactions, so it could not be asked: start it with -txindex. ${said}`,
      )
    case 'no_block_data':
      return new ReaderError(
        'unavailable',
        `The node does not have all blocks: ask one that is not pruned, with -txindex. ${said}`,
      )
    default:
      return new ReaderError('unavailable', said)
  }
}

/**
 * The answers by call id; invalid entries are skipped.
 * @throws {ReaderError}
 */
function parseAnswers(text: string): Map<unknown, NodeAnswer> {
  try {
    const parsed: unknown = JSON.parse(text)
    return new Map(Array.isArray(parsed) ? parsed.map(parseAnswer) : [])
  } catch (error) {
    throw new ReaderError('unavailable', 'The answer of the node is not JSON.', error)
  }
}

function parseAnswer(answer: unknown): [unknown, NodeAnswer] {
  const { id, result, error } = isRecord(answer) ? answer : {}
  const { code, message } = isRecord(error) ? error : {}
  return [id, { result, error: typeof message === 'string' ? { code: Number(code), message } : undefined }]
}
