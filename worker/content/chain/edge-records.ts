import { type ContentRecord, readEncoding } from './content-record.ts'
import { waitForDelivery } from './wait-for-delivery.ts'

/** A record from this data centre's cache, if what is there says that it is the record of this name. */
export async function getEdgeRecord(name: string): Promise<ContentRecord | undefined> {
  const response = await caches.default.match(edgeUrl(name))
  if (!response) return undefined
  const encoding = readEncoding(response.headers.get('X-Encoding'))
  if (!encoding || response.headers.get('X-Record') !== name) {
    await response.body?.cancel()
    return undefined
  }
  return { bytes: new Uint8Array(await response.arrayBuffer()), encoding }
}

/** Keeps a record in this data centre's cache, once its reader should have it. */
export async function putEdgeRecord(name: string, record: ContentRecord): Promise<void> {
  const headers = {
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Type': 'application/octet-stream',
    'X-Encoding': record.encoding,
    'X-Record': name,
  }
  try {
    await waitForDelivery(record.bytes.length)
    await caches.default.put(edgeUrl(name), new Response(record.bytes, { headers }))
  } catch (error) {
    console.error('edge_record_not_kept', name, error)
  }
}

// Under /2 since names changed: what the first ones brought is never read again, and goes with the cache's own age.
function edgeUrl(name: string): string {
  return `https://content.hookline.invalid/2/${name}`
}
