import type { BuiltFile } from './built-file.ts'
import { acceptsBrotli } from './negotiate-encoding.ts'
import { respond } from './respond.ts'

/** Answers with a built file: as stored when the client takes Brotli, decoded otherwise. */
export async function answerFile(
  request: Request,
  file: BuiltFile,
  extraHeaders: Record<string, string>,
): Promise<Response> {
  // A range is of the file as it is.
  const brotli = acceptsBrotli(request) && !request.headers.has('Range')
  const headers = new Headers({
    // Pages that isolate themselves (COEP: require-corp) load only what says that it may be loaded.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ...extraHeaders,
    'Content-Type': file.type,
    Vary: 'Accept-Encoding',
  })
  if (!brotli) return await respond(request, { status: 200, headers, etag: file.etag, body: file.raw() })
  headers.set('Content-Encoding', 'br')
  const etag = file.etag.replace(/"$/, '-br"')
  return await respond(request, { status: 200, headers, etag, body: file.compressed })
}
