import { brotliCompressSync } from 'node:zlib'
import { mediaTypeEssence } from '../../contract/media-type.ts'
import { brotliParameters } from '../../protocol/brotli-settings.ts'

// Raw native Brotli of the body, with the parameters of a merge.
export default {
  async fetch(request: Request): Promise<Response> {
    const bytes = new Uint8Array(await request.arrayBuffer())
    const params = brotliParameters(bytes.length, mediaTypeEssence(request.headers.get('Content-Type') ?? ''))
    return new Response(String(brotliCompressSync(bytes, { params }).length))
  },
}
