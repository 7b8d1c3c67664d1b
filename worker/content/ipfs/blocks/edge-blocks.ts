import { logOnceAMinute } from '../../../platform/records/log-once-a-minute.ts'

/** Blocks up to this size (bytes) are stored near their readers: directories and pages, not the leaves of large files. */
const MAX_EDGE_BYTES = 256 * 1024

/** A block from this data centre's cache; the caller checks it, as it checks all others. */
export async function edgeBlock(name: string): Promise<Uint8Array | undefined> {
  const response = await caches.default.match(edgeUrl(name))
  return response && new Uint8Array(await response.arrayBuffer())
}

/** Whether a block is small enough to be worth a place in this data centre's cache. */
export function fitsEdgeCache(bytes: Uint8Array): boolean {
  return bytes.byteLength <= MAX_EDGE_BYTES
}

/** Stores a checked block in this data centre's cache, if {@link fitsEdgeCache}. */
export async function cacheBlockAtEdge(name: string, bytes: Uint8Array): Promise<void> {
  if (!fitsEdgeCache(bytes)) return
  const headers = { 'Cache-Control': 'public, max-age=31536000, immutable', 'Content-Type': 'application/octet-stream' }
  try {
    await caches.default.put(edgeUrl(name), new Response(bytes, { headers }))
  } catch (error) {
    // The next reader has it from R2.
    logOnceAMinute('error', 'edge_block_not_kept', name, error)
  }
}

function edgeUrl(name: string): string {
  return `https://blocks.hookline.invalid/${name}`
}
