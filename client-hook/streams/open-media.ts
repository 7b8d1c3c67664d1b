import { toHex } from '../../protocol/bytes.ts'
import { openLiteralContent } from '../../reader/chain/literal-content.ts'
import { mapBounded } from '../../reader/map-bounded.ts'
import { readWhole } from '../../reader/read-whole.ts'
import { readChainContent } from '../chain-content.ts'
import type { Media } from '../content.ts'
import type { FillRequest } from '../elements.ts'
import type { MediaOfIpfs, PartTools } from '../part-tools.ts'

/** Transactions of a range that are asked for at once. */
const AT_ONCE = 6

/**
 * What an element names, if parts of it can be read alone: a file of several blocks on IPFS, or content that is stored uncompressed
 * in transactions (docs/formats.md, "A range of content"). @throws {ReaderError}
 */
export async function openMedia(
  tools: PartTools,
  request: FillRequest,
  signal: AbortSignal,
  ipfs: () => Promise<MediaOfIpfs>,
): Promise<Media | undefined> {
  const { blockchain, sources } = request
  const options = { ...request, signal, site: false, onProgress() {} }
  if (blockchain === 'IPFS') return await (await ipfs()).openMedia(sources.join(), options)
  const readData = (txids: readonly string[]) =>
    mapBounded(txids, AT_ONCE, (txid) => readChainContent(tools, { ...options, blockchain, sources: [txid] }))
  const literal = await openLiteralContent(sources, readData)
  if (!literal) return undefined
  return {
    root: toHex(await tools.sha256(new TextEncoder().encode(sources.join()))),
    size: literal.size,
    read: (start, end) => readWhole(literal.read({ start, end }, readData)),
  }
}
