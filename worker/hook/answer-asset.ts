import { takesBrotli } from '../http/negotiate-encoding.ts'
import { respond } from '../http/respond.ts'
import type { HookAsset } from './hook-assets.ts'

/** Answers with a built file: as stored when the client takes Brotli, decoded otherwise. */
export async function answerAsset(
  request: Request,
  asset: HookAsset,
  extraHeaders: Record<string, string>,
): Promise<Response> {
  // A range is of the file as it is.
  const brotli = takesBrotli(request) && !request.headers.has('Range')
  const headers = new Headers({
    ...extraHeaders,
    'Content-Type': asset.type,
    Vary: 'Accept-Encoding',
    // Pages that isolate themselves (COEP: require-corp) load only what says that it may be loaded.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  })
  if (!brotli) return await respond(request, { status: 200, headers, etag: asset.etag, body: asset.raw() })
  headers.set('Content-Encoding', 'br')
  const etag = asset.etag.replace(/"$/, '-br"')
  return await respond(request, { status: 200, headers, etag, body: asset.compressed })
}
