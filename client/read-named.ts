import { sha256 } from '@noble/hashes/sha2.js'
import type { Blockchain } from '../protocol/chains.ts'
import { parseContentName } from '../protocol/inscriptions/content-name.ts'
import { MAX_DECODED_BYTES } from '../reader/brotli/decode-content.ts'
import { fetchWithRetries } from '../reader/fetch-with-retries.ts'
import { decodeBody } from '../reader/inscriptions/decode-body.ts'
import { type ReadWhole, readNamed as readNamedWith } from '../reader/inscriptions/read-named.ts'
import { splitParts } from '../reader/inscriptions/split-parts.ts'
import { splitTransactions } from '../reader/inscriptions/split-transactions.ts'
import { type NamedContent, withType } from '../reader/inscriptions/type-of-content.ts'
import { readWhole } from '../reader/read-whole.ts'
import { ReaderError } from '../reader/reader-error.ts'
import { anonymousFetch } from './anonymous-fetch.ts'
import { decodeBrotli } from './decode-brotli.ts'
import { type ProofRules, prove } from './prove-transactions.ts'
import type { ReadChainOptions } from './read-chain-content.ts'
import { releasedCheckpoints } from './released-checkpoints.ts'

/** The most that one answer may have, in bytes: what the service reads for one request. */
const MAX_BYTES = 8 << 20

/** What later transactions of a doginal that are not named must be proven to, as at a service and in pages. */
const STATE = 'worked 6'

/** Content that others wrote, and what proves it. */
export interface OthersContent extends Omit<NamedContent, 'body'> {
  /** Decoded, unless the content coding is not known: then `encoding` says it. */
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * An inscription (`<txid>i<n>`), a doginal (with all its transactions, `<txid>+<txid>…i0`) or a stamp (`stamp:<txid>`): each transaction is
 * hashed and compared with its txid, and the script of an inscription with the output that commits to it (BIP 341). Later transactions
 * of a doginal that are not named are those that the service has found, each only if it is proven by `checkpoint`, or that of whoever
 * released this package.
 * @throws {ReaderError} `not_found`, `incomplete` where the name lacks transactions, `not_verified`, `not_proven`, `too_large`
 */
export async function readNamed(
  source: { blockchain: Blockchain; name: string },
  options: Pick<ReadChainOptions, 'api' | 'fetch' | 'signal' | 'silence' | 'limits'> & Pick<ProofRules, 'checkpoint'>,
): Promise<OthersContent> {
  const { api, fetch = anonymousFetch, signal, silence = 30_000, limits } = options
  const name = parseContentName(source.name)
  if (!name) throw new ReaderError('invalid_source', 'A name is <txid>i<n>, <txid>+<txid>…i0 or stamp:<txid>.')
  const base = `${String(api).replace(/\/+$/, '')}/v0/tx/${source.blockchain}/`
  const read: ReadWhole = async (txids, { witness }) => {
    const request = { url: `${base}${txids.join(',')}?any=1${witness ? '&witness=1' : ''}`, maxBytes: MAX_BYTES }
    const bytes = await readWhole(fetchWithRetries(request, { fetch, signal, silence }))
    return (await splitTransactions(bytes, txids, sha256)).map(({ transaction }) => transaction)
  }
  const { checkpoint = releasedCheckpoints()[source.blockchain] } = options
  const follow = async (txid: string) => {
    if (!checkpoint) return []
    const request = { url: `${base}${txid}?any=1&parts=1`, maxBytes: MAX_BYTES }
    const bytes = await readWhole(fetchWithRetries(request, { fetch, signal, silence }))
    const txids = splitParts(bytes, txid).map((later) => later.txid)
    const asked = { blockchain: source.blockchain, txids }
    const rules = { api, fetch, signal, silence, checkpoint, state: STATE }
    if (txids.length > 0) await prove(asked, rules).catch(asNotProven)
    return txids
  }
  const { body, encoding, ...found } = withType(await readNamedWith(source.blockchain, name, { read, sha256, follow }))
  const maxBytes = limits?.maxDecodedBytes ?? MAX_DECODED_BYTES
  const decoded = await decodeBody(body, encoding, maxBytes, decodeBrotli)
  return { ...found, encoding: decoded ? undefined : encoding, bytes: decoded ?? body }
}

/** @throws `error`; {ReaderError} `not_proven` in place of `not_found`, which would be of the name */
function asNotProven(error: unknown): never {
  if (!(error instanceof ReaderError && error.code === 'not_found')) throw error
  throw new ReaderError('not_proven', `A later transaction of it is not proven: ${error.message}`, error)
}
