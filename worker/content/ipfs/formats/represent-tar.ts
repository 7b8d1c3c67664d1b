import { listEntries } from '../../../../reader/unixfs/directory.ts'
import { AppError } from '../../../platform/http/errors.ts'
import type { Representation } from '../../../platform/http/respond.ts'
import { SeenCids } from '../blocks/block-key.ts'
import { claimedSize, type DagNode } from '../dag/dag-node.ts'
import type { DagSource } from '../dag/dag-source.ts'
import { readFile } from '../dag/read-file.ts'
import { contentDisposition } from './content-disposition.ts'
import type { FoundContent } from './found-content.ts'
import { formatMediaType } from './response-format.ts'
import { tarHeader, tarPadding } from './tar-header.ts'

const MAX_DEPTH = 64
/** Nothing is sent before this many bytes are ready, so that a problem of a small archive is still an error answer. */
const HELD_BYTES = 64 * 1024
/** The longest path that programs unpack, in characters (POSIX `PATH_MAX`). */
const MAX_PATH = 4096

/**
 * A file or directory tree as a TAR stream; its root is named after the last CID (Path Gateway specification,
 * IPIP-288). Names that would be unpacked outside the root are refused.
 * @throws {AppError} 400 for what is not UnixFS, 422 for what says that it is too large.
 */
export function representTar({
  url,
  source,
  resolved,
}: Pick<FoundContent, 'url' | 'source' | 'resolved'>): Representation {
  const { node } = resolved
  if (node.kind === 'opaque') throw node.problem
  if (node.kind === 'data') throw new AppError(400, 'not_unixfs', 'Only UnixFS content can be returned as a TAR.')
  source.budget.check(claimedSize(node), 0)
  const filename = url.searchParams.get('filename') ?? `${node.cid}.tar`
  return {
    status: 200,
    etag: `W/"${node.cid}.x-tar"`,
    headers: new Headers({
      'Content-Type': formatMediaType('tar'),
      'Content-Disposition': contentDisposition('attachment', filename),
    }),
    body: { kind: 'stream', read: () => holdBack(writeTar(source, node), HELD_BYTES) },
  }
}

async function* holdBack(parts: AsyncGenerator<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = []
  let length = 0
  for await (const part of parts) {
    held.push(part)
    length += part.byteLength
    if (length >= bytes) yield* held.splice(0)
  }
  yield* held
}

async function* writeTar(source: DagSource, node: DagNode): AsyncGenerator<Uint8Array> {
  yield* writeEntry(source, node, [String(node.cid)], 1)
  // Two blocks of zeros end an archive (POSIX pax).
  yield new Uint8Array(1024)
}

async function* writeEntry(
  source: DagSource,
  node: DagNode,
  path: readonly string[],
  depth: number,
): AsyncGenerator<Uint8Array> {
  const name = path.join('/')
  if (depth > MAX_DEPTH || name.length > MAX_PATH) {
    throw new AppError(422, 'dag_too_large', 'This directory has paths that are too long for a TAR.')
  }
  switch (node.kind) {
    case 'file':
      yield tarHeader({ name, type: 'file', size: node.size })
      yield* readFile(source, node, { start: 0, end: node.size - 1 })
      yield tarPadding(node.size)
      return
    case 'symlink':
      yield tarHeader({ name, type: 'symlink', target: new TextDecoder().decode(node.target) })
      return
    case 'directory':
    case 'shard':
      yield tarHeader({ name, type: 'directory' })
      for await (const links of listEntries(source, node, new SeenCids(node.cid))) {
        for (const link of links) {
          yield* writeEntry(source, await source.read(link.cid), joinName(path, link.name), depth + 1)
        }
      }
      return
    case 'opaque':
      throw node.problem
    case 'data':
      throw new AppError(422, 'not_unixfs', `${name} is not UnixFS and cannot be part of a TAR.`)
  }
}

/** Appends a link's name, which may hold dot segments, as unpacking programs would read it. */
function joinName(path: readonly string[], name: string): string[] {
  const joined = [...path]
  for (const segment of name.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') joined.push(segment)
    else joined.pop()
    if (joined.length === 0 || joined[0] !== path[0]) throw outsideRoot()
  }
  return joined
}

function outsideRoot(): AppError {
  // The wording, its slip included, is what other gateways send and clients look for.
  const message = 'relative UnixFS paths outside the root are now allowed, use CAR instead'
  return new AppError(422, 'path_outside_root', message)
}
