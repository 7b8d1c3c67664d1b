import { readFile } from 'node:fs/promises'
import { isRecord } from '../../client/http/parse-json.ts'
import { fromHex } from '../../protocol/bytes.ts'
import { meaningOf } from '../../protocol/node-refusals.ts'
import { isOnlyExtension, stripTransaction, TransactionError } from '../../protocol/transaction.ts'
import type { ChainReader } from '../../reader/chain/read-chain-content.ts'
import type { FetchOptions, FetchRequest } from '../../reader/fetch-bytes.ts'
import { fetchWithRetries } from '../../reader/fetch-with-retries.ts'
import { inGroups } from '../../reader/in-groups.ts'
import { readWhole } from '../../reader/read-whole.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'

/** The RPC of a chain's node, as its operator configured it. */
export interface ChainNode {
  /** Without user and password. */
  url: string
  /** The header `Authorization`; undefined if the node needs none. */
  authorization: string | undefined
}

/** Transactions in one call; a few of the largest possible ones have this many bytes of hex. */
const BATCH = 10
const BATCH_BYTES = 100 << 20

/**
 * The node in HOOKLINE_NODE, with the credentials in it or in the file of `--node-cookie`; `undefined` if neither is
 * set.
 * @throws {CommandError} 2
 */
export async function chainNode({ env, line }: Pick<Context, 'env' | 'line'>): Promise<ChainNode | undefined> {
  const cookie = line.value('node-cookie')
  const given = env.HOOKLINE_NODE || undefined
  if (given === undefined && cookie === undefined) return undefined
  if (given === undefined || !/^https?:\/\//.test(given) || !URL.canParse(given)) {
    throw usageError(
      'HOOKLINE_NODE is not the address of a node.',
      'Set it to the address of its RPC, such as http://127.0.0.1:8332.',
    )
  }
  const url = new URL(given)
  const signIn = cookie === undefined ? inAddress(url) : await readCookie(cookie)
  url.username = ''
  url.password = ''
  const authorization = signIn && `Basic ${Buffer.from(signIn).toString('base64')}`
  return { url: url.href, authorization }
}

function inAddress({ username, password }: URL): string | undefined {
  return username === '' ? undefined : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
}

async function readCookie(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const line = text.trim()
  if (/^[^:\s]+:\S+$/.test(line) && line.length < 1000) return line
  throw usageError(
    `${path} is not a cookie file of a node.`,
    'The file is called .cookie, in the data folder of the node.',
  )
}

/**
 * Downloads raw transactions by txid from a node instead of an API host; the node needs `txindex`. The caller verifies
 * them.
 * @throws {ReaderError} `not_found`, `unavailable`, `network` …
 */
export function downloadFromNode(node: ChainNode, options: FetchOptions): ChainReader['download'] {
  return async function* download(request) {
    for (const txids of inGroups(txidsOf(request), BATCH)) yield* await readBatch(node, txids, options)
  }
}

function txidsOf({ url, json }: FetchRequest): string[] {
  if (typeof json === 'object' && json !== null && 'txids' in json && Array.isArray(json.txids))
    return json.txids.map(String)
  return url.slice(url.lastIndexOf('/') + 1).split(',')
}

async function readBatch(
  { url, authorization }: ChainNode,
  txids: readonly string[],
  options: FetchOptions,
): Promise<Uint8Array[]> {
  const json = txids.map((txid, id) => ({ jsonrpc: '1.0', id, method: 'getrawtransaction', params: [txid, 0] }))
  const signed: FetchOptions['fetch'] = async (address, init) => {
    const headers = new Headers(init.headers)
    if (authorization) headers.set('Authorization', authorization)
    const response = await options.fetch(address, { ...init, headers, redirect: 'error' })
    if (response.status !== 401 && response.status !== 403) return response
    await response.body?.cancel()
    throw new ReaderError('invalid_source', `${address} refuses these credentials, or this address.`)
  }
  const request = { url, json, maxBytes: BATCH_BYTES }
  const body = await readWhole(fetchWithRetries(request, { ...options, fetch: signed }))
  const answers = parseAnswers(new TextDecoder().decode(body))
  return txids.map((txid, id) => {
    const { result, error } = answers.get(id) ?? {}
    const raw = result === undefined ? undefined : fromHex(result)
    if (raw) return withoutWitness(raw, txid)
    throw refusal(error, txid)
  })
}

/** As the API sends it, so that another may follow it. Bytes that are no transaction stay, for the caller that verifies. */
function withoutWitness(raw: Uint8Array, txid: string): Uint8Array {
  try {
    const stripped = stripTransaction(raw)
    if (!isOnlyExtension(raw, stripped)) return stripped.bytes
  } catch (error) {
    if (error instanceof TransactionError) return raw
    throw error
  }
  throw new ReaderError('not_found', `Transaction ${txid} holds no data.`)
}

function refusal(error: Answer['error'], txid: string): ReaderError {
  const said = `The node answered for ${txid}: ${error?.message.slice(0, 200) ?? 'nothing'}`
  switch (error && meaningOf('getrawtransaction', error)) {
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
    default:
      return new ReaderError('unavailable', said)
  }
}

/** The result of one call of a batch (JSON-RPC 1.0 and 2.0). */
interface Answer {
  result: string | undefined
  error: { code: number; message: string } | undefined
}

/**
 * The results by call id; invalid entries are skipped.
 * @throws {ReaderError}
 */
function parseAnswers(text: string): Map<unknown, Answer> {
  try {
    const parsed: unknown = JSON.parse(text)
    return new Map(Array.isArray(parsed) ? parsed.map(parseAnswer) : [])
  } catch (error) {
    throw new ReaderError('unavailable', 'The answer of the node is not JSON.', error)
  }
}

function parseAnswer(answer: unknown): [unknown, Answer] {
  const { id, result, error } = isRecord(answer) ? answer : {}
  const { code, message } = isRecord(error) ? error : {}
  return [
    id,
    {
      result: typeof result === 'string' ? result : undefined,
      error: typeof message === 'string' ? { code: Number(code), message } : undefined,
    },
  ]
}
