import { AppError } from '../errors.ts'
import { contentDisposition } from './content-disposition.ts'
import type { DagNode } from './dag-node.ts'
import { encodeHtml } from './encode-html.ts'
import { mediaTypeByContent, mediaTypeByName, SNIFF_BYTES } from './media-type.ts'
import type { FoundContent } from './represent.ts'
import type { Representation } from './representation.ts'
import { type FileNode, readFile } from './walk-file.ts'

/** Files up to this size (bytes) are read whole before the answer begins, so that the answer can be kept. */
export const WHOLE_BYTES = 1024 * 1024

/** What most formats say who they are in, in bytes. */
const LEAST_SNIFFED = 512

/** Overrides for a file that stands for something else: a directory's `index.html`, a rewrite of `_redirects`. */
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
  const name = url.searchParams.get('filename') ?? options.name ?? found.path.segments.at(-1)
  const etag = options.etag ?? `"${node.cid}"`
  const headers = new Headers()
  const disposition = fileDisposition(url.searchParams, name)
  if (disposition) headers.set('Content-Disposition', disposition)
  const status = options.status ?? 200
  if (node.kind === 'symlink') {
    headers.set('Content-Type', 'inode/symlink')
    return { status, headers, etag, body: node.target }
  }
  const whole = { start: 0, end: node.size - 1 }
  const body =
    node.size <= WHOLE_BYTES && request.method === 'GET' && !request.headers.has('Range')
      ? await readWhole(readFile(source, node, whole), node.size)
      : { kind: 'file' as const, size: node.size, read: (range: typeof whole) => readFile(source, node, range) }
  const type = mediaTypeByName(name) ?? (await sniff(found, node, body))
  headers.set('Content-Type', type)
  const representation: Representation = { status, headers, etag, body }
  return type.startsWith('text/html') ? encodeHtml(request, representation) : representation
}

function fileDisposition(query: URLSearchParams, name: string | undefined): string | undefined {
  if (query.get('download') === 'true') return contentDisposition('attachment', name)
  return query.has('filename') ? contentDisposition('inline', name) : undefined
}

/** Up to `SNIFF_BYTES` are looked at, or the first block where more cannot be had: a range may need no other. */
async function sniff({ source }: FoundContent, node: FileNode, body: Representation['body']): Promise<string> {
  if (body instanceof Uint8Array) return mediaTypeByContent(body.subarray(0, SNIFF_BYTES), body.length <= SNIFF_BYTES)
  const read = (size: number) => readWhole(readFile(source, node, { start: 0, end: size - 1 }), size)
  try {
    if (node.size > SNIFF_BYTES) return mediaTypeByContent(await read(LEAST_SNIFFED), false)
    return mediaTypeByContent(await read(node.size), true)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const head = await read(Math.min(node.size, LEAST_SNIFFED)).catch(() => undefined)
    return head ? mediaTypeByContent(head, false) : 'application/octet-stream'
  }
}

/** All bytes of a body whose size is known. */
export async function readWhole(bytes: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Uint8Array(size)
  let offset = 0
  for await (const part of bytes) {
    all.set(part, offset)
    offset += part.byteLength
  }
  return all
}
