import { type ByteRange, contentRange } from '../../../contract/byte-range.ts'
import { writeParts } from '../../platform/flow/write-parts.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { type ContentRecord, metadataOf, partsOf, readForm, sizeOf, WHOLE_BYTES } from './content-record.ts'
import { streamedBody } from './streamed-body.ts'
import { waitForDelivery } from './wait-for-delivery.ts'

/** A record from this data centre's cache, if what is there says that it is the record of this name. */
export async function getEdgeRecord(name: string): Promise<ContentRecord | undefined> {
  const response = await caches.default.match(edgeUrl(name))
  if (!response) return undefined
  const { headers, body } = response
  const form = readForm({
    encoding: headers.get('X-Encoding'),
    decoded: headers.get('X-Decoded'),
    root: headers.get('X-Root'),
    charsets: headers.get('X-Charsets'),
    parts: headers.get('X-Parts'),
  })
  const length = Number(headers.get('X-Length') ?? Number.NaN)
  const large = length > WHOLE_BYTES
  if (!form || headers.get('X-Record') !== name || !body || Number.isNaN(length)) {
    await body?.cancel()
    return undefined
  }
  if (!large) return { body: new Uint8Array(await response.arrayBuffer()), form }
  return { body: streamedBody(body, length, (range) => openRange(name, range, length)), form }
}

/** A range of a record alone, where the cache still has the record. */
async function openRange(
  name: string,
  range: ByteRange,
  size: number,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const headers = { Range: `bytes=${range.start}-${range.end}` }
  const response = await caches.default.match(new Request(edgeUrl(name), { headers }))
  if (response?.body && response.headers.get('Content-Range') === contentRange(range, size)) return response.body
  await response?.body?.cancel()
  return undefined
}

/** Stores a record in this data centre's cache, once its reader should have it. */
export async function putEdgeRecord(name: string, record: ContentRecord): Promise<void> {
  const { body, form } = record
  const { charsets, decoded, encoding, parts, root } = metadataOf(form)
  const size = sizeOf(record)
  const headers = {
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Type': 'application/octet-stream',
    'X-Charsets': charsets,
    'X-Decoded': decoded,
    'X-Encoding': encoding,
    'X-Length': String(size),
    'X-Parts': parts,
    'X-Record': name,
    'X-Root': root,
  }
  try {
    if (body instanceof Uint8Array) await waitForDelivery(size)
    const sent = body instanceof Uint8Array ? body : streamOf(record, size)
    await caches.default.put(edgeUrl(name), new Response(sent, { headers }))
  } catch (error) {
    logOnceAMinute('error', 'edge_record_not_kept', name, error)
  }
}

function streamOf(record: ContentRecord, size: number): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(size)
  void writeParts(writable, partsOf(record))
  return readable
}

function edgeUrl(name: string): string {
  return `https://content.hookline.invalid/${name}`
}
