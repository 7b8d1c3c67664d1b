import { createHash } from 'node:crypto'
import { fetchWithRetries } from '../../reader/fetch-with-retries.ts'
import type { IpfsReader } from '../../reader/ipfs/block-source.ts'
import { blockHashes, IPFS_LIMITS } from '../../reader/ipfs/index.ts'
import type { Context } from '../run/context.ts'

/** A gateway may have to find a block first (ms). */
const SILENCE_MS = 60_000

/** Downloads blocks from a gateway that need not be trusted. */
export function ipfsReader({ fetch, signal }: Pick<Context, 'fetch' | 'signal'>, api: URL): IpfsReader {
  return {
    gateway: api.href.replace(/\/+$/, ''),
    download: (request) => fetchWithRetries(request, { fetch, signal, silence: SILENCE_MS }),
    signal,
    hashes: blockHashes((bytes) => createHash('sha256').update(bytes).digest()),
    limits: IPFS_LIMITS,
  }
}
