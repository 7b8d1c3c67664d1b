import type { BuiltFile } from './built-file.ts'
import { acceptsBrotli } from './negotiate-encoding.ts'
import { respond } from './respond.ts'

/** The answer with a built file: as stored where the client accepts Brotli, else decoded. */
export async function answerFile(
  request: Request,
  file: BuiltFile,
  extraHeaders: Record<string, string>,
): Promise<Response> {
  // A range refers to the decoded file.
  const brotli = acceptsBrotli(request) && !request.headers.has('Range')
  const headers = new Headers({
    // Pages with COEP `require-corp` load only responses that allow it.
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
