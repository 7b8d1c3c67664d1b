import { readFile } from 'node:fs/promises'
import { fromHex } from '../../protocol/bytes.ts'
import { isOnlyExtension, stripTransaction, TransactionError } from '../../protocol/transaction.ts'
import type { ChainReader } from '../../reader/chain/read-chain-content.ts'
import type { FetchOptions, FetchRequest } from '../../reader/fetch-bytes.ts'
import { inGroups } from '../../reader/in-groups.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { type ChainNode, callNode, refusalOf } from './call-node.ts'

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

async function readBatch(node: ChainNode, txids: readonly string[], options: FetchOptions): Promise<Uint8Array[]> {
  const calls = txids.map((txid) => ({ method: 'getrawtransaction', params: [txid, 0] }))
  const answers = await callNode(node, calls, { ...options, maxBytes: BATCH_BYTES })
  return txids.map((txid, index) => {
    const { result, error } = answers[index] ?? {}
    const raw = typeof result === 'string' ? fromHex(result) : undefined
    if (raw) return withoutWitness(raw, txid)
    throw refusalOf('getrawtransaction', error, txid)
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
