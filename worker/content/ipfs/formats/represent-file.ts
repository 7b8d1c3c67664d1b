import type { CID } from 'multiformats/cid'
import { isTextType, mediaTypeEssence } from '../../../../contract/media-type.ts'
import { CHARSET_BYTES, type Charsets, readCharsets, withCharset } from '../../../../reader/charset.ts'
import type { FileNode } from '../../../../reader/unixfs/dag.ts'
import { MemoryCache } from '../../../platform/flow/memory-cache.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { readSized } from '../../../platform/http/read-sized.ts'
import type { Representation, SizedBody } from '../../../platform/http/respond.ts'
import { refuseDenied } from '../../denylist/denylist.ts'
import { encodeText } from '../../encoding/encode-text.ts'
import type { DagNode } from '../dag/dag-node.ts'
import { readFile } from '../dag/read-file.ts'
import { contentDisposition } from './content-disposition.ts'
import type { FoundContent } from './found-content.ts'
import { decideMediaType, harmlessTypeByName, mediaTypeByContent, mediaTypeByName, SNIFF_BYTES } from './media-type.ts'

/** Files up to this size (bytes) are read whole before the answer begins, so that the answer can be stored. */
const WHOLE_BYTES = 1024 * 1024

/** What most formats say who they are in, in bytes. */
const MIN_SNIFFED = 512

/** Overrides for a file that is returned for another path: a directory's `index.html`, a rewrite of `_redirects`. */
export interface FileOptions {
  etag?: string
  name?: string
  status?: Representation['status']
}

/**
 * A UnixFS file or raw block; a symlink is its target's name, as Kubo has it. The media type follows the name,
 * then the content.
 */
export async function representFile(
  found: FoundContent,
  node: FileNode | (DagNode & { kind: 'symlink' }),
  options: FileOptions = {},
): Promise<Representation> {
  const { request, url, source } = found
  const asked = url.searchParams.get('filename')
  const own = options.name ?? found.path.segments.at(-1)
  const etag = options.etag ?? `"${node.cid}"`
  const headers = new Headers()
  const disposition = fileDisposition(url.searchParams, asked ?? own)
  if (disposition) headers.set('Content-Disposition', disposition)
  const status = options.status ?? 200
  if (node.kind === 'symlink') {
    headers.set('Content-Type', 'inode/symlink')
    return { status, headers, etag, body: node.target }
  }
  // A file that is too long to be sent whole is rejected before it is read, unless a range of it is requested.
  if (!request.headers.has('Range')) source.budget.check(node.size, 0)
  const part: SizedBody = { kind: 'file', size: node.size, read: (range) => readFile(source, node, range) }
  const small = node.size <= WHOLE_BYTES && !request.headers.has('Range')
  const body = small && request.method === 'GET' ? await wholeOf(part) : part
  const harmless = harmlessTypeByName(asked)
  const name = harmless === undefined ? own : asked
  const named = harmless ?? mediaTypeByName(own)
  const given = options.name === undefined && found.path.segments.length === 0 ? found.mediaType : undefined
  const decided = given ?? (await decideMediaType(named, name ?? '', () => sniff(part, body)))
  const type = await declareCharset(decided, String(node.cid), part, body)
  headers.set('Content-Type', type)
  const content = {
    name: String(node.cid),
    blocks: () => source.given,
    refuse: (cids: readonly CID[]) => refuseDenied(found.denied, { cids }),
  }
  return encodeText(request, { status, headers, etag, body }, content)
}

function wholeOf(body: SizedBody): Promise<Uint8Array> {
  return readHead(body, body.size)
}

function fileDisposition(query: URLSearchParams, name: string | undefined): string | undefined {
  if (query.get('download') === 'true') return contentDisposition('attachment', name)
  return query.has('filename') ? contentDisposition('inline', name) : undefined
}

/**
 * How much is read depends on the file's size alone, so that GET, HEAD and a range say the same; where that cannot
 * be had, the first block: a range may need no other.
 */
async function sniff(part: SizedBody, body: Representation['body']): Promise<string> {
  const size = Math.min(part.size, part.size > WHOLE_BYTES ? MIN_SNIFFED : SNIFF_BYTES)
  const whole = size === part.size
  if (body instanceof Uint8Array) return mediaTypeByContent(body.subarray(0, size), whole)
  try {
    return mediaTypeByContent(await readHead(part, size), whole)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const least = await readHead(part, Math.min(size, MIN_SNIFFED)).catch(() => undefined)
    return least ? mediaTypeByContent(least, false) : 'application/octet-stream'
  }
}

/** Of this isolate, by CID: what a range of a file, or HEAD, is answered with is not read from its beginning again. */
const knownCharsets = new MemoryCache<Charsets>(1 << 10)

/** The size of what is remembered of a file (bytes). */
const CHARSETS_BYTES = 200

/** The media type with the charset that the file declares; without one where its beginning cannot be had. */
async function declareCharset(
  mediaType: string,
  cid: string,
  part: SizedBody,
  body: Representation['body'],
): Promise<string> {
  if (!isTextType(mediaTypeEssence(mediaType))) return mediaType
  const known = knownCharsets.get(cid)
  if (known) return withCharset(mediaType, known)
  const size = Math.min(part.size, CHARSET_BYTES)
  try {
    const head = body instanceof Uint8Array ? body.subarray(0, size) : await readHead(part, size)
    const charsets = readCharsets(head, size === part.size)
    knownCharsets.set(cid, charsets, CHARSETS_BYTES)
    return withCharset(mediaType, charsets)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return withCharset(mediaType, { utf8: false })
  }
}

function readHead({ read }: SizedBody, size: number): Promise<Uint8Array> {
  return readSized(read({ start: 0, end: size - 1 }), size)
}
