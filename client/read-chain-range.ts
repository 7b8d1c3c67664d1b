import { sha256 } from '@noble/hashes/sha2.js'
import type { Blockchain } from '../protocol/chains.ts'
import { MAX_DECODED_BYTES } from '../reader/brotli/decode-content.ts'
import { CHAIN_LIMITS } from '../reader/chain/read-chain-content.ts'
import { readContentRange } from '../reader/chain/read-content-range.ts'
import type { FetchRequest } from '../reader/fetch-bytes.ts'
import { fetchWithRetries } from '../reader/fetch-with-retries.ts'
import { anonymousFetch } from './anonymous-fetch.ts'
import { decodeBrotli } from './decode-brotli.ts'
import type { ReadChainOptions } from './read-chain-content.ts'

/**
 * The bytes `start` to `end` of the content of transactions, both included, as far as it has them. Of what is stored
 * uncompressed only the transactions of these bytes are read, with the first and the last one; this proves these transactions, not
 * the whole (docs/formats.md, "A range of content"). Other content is read whole.
 * @throws {ReaderError} as `readChainContent`, and `invalid_source` for what is no range
 */
export async function readChainRange(
  source: { blockchain: Blockchain; txids: readonly string[] },
  range: { start: number; end: number },
  options: Omit<ReadChainOptions, 'as'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { api, fetch = anonymousFetch, signal, silence = 30_000, store, limits, onProgress } = options
  const download = (request: FetchRequest) => fetchWithRetries(request, { fetch, signal, silence })
  const reader = {
    api: String(api).replace(/\/+$/, ''),
    download,
    sha256,
    store,
    limits: { ...CHAIN_LIMITS, ...limits },
  }
  const decoding = { decode: decodeBrotli, maxBytes: limits?.maxDecodedBytes ?? MAX_DECODED_BYTES }
  return await readContentRange({ ...reader, ...(onProgress && { onProgress }) }, source, range, decoding)
}
