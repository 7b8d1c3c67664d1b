import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { CID } from 'multiformats/cid'
import { CODEC, canonicalCid } from '../../../../protocol/cid.ts'
import { findEntry } from '../../../../reader/unixfs/directory.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { hasMoreStructure } from '../../../platform/http/parse-json.ts'
import type { DagNode } from './dag-node.ts'
import type { DagSource } from './dag-source.ts'
import { invalidDag } from './invalid-dag.ts'

/** Where a content path led. */
export interface ResolvedPath {
  node: DagNode
  /** The root and one CID for each segment that crossed into another block (`X-Ipfs-Roots`). */
  roots: CID[]
  /** Every block on the way, the last node's own left out: what proves the path in a CAR. */
  trail: { cid: CID; block: Uint8Array }[]
}

/** The path has no such entry; `missing` is the first segment that does not exist. */
export interface MissingPath {
  missing: string
}

/** The most segments of a path. */
const MAX_SEGMENTS = 200

/**
 * Follows `segments` from `root`: UnixFS directories, plain or sharded, one block a level; DAG-JSON and DAG-CBOR
 * by their links (Path Gateway specification, content resolution).
 * @throws {AppError} as `BlockSource.get` does; 501 for a path that ends inside a DAG-JSON or DAG-CBOR block.
 */
export async function resolvePath(
  source: DagSource,
  root: CID,
  segments: readonly string[],
): Promise<ResolvedPath | MissingPath> {
  if (segments.length > MAX_SEGMENTS) throw new AppError(400, 'path_too_long', 'The path has too many segments.')
  const trail: ResolvedPath['trail'] = []
  const roots = [root]
  let node = await source.read(root)
  for (let index = 0; index < segments.length; ) {
    const step = await stepInto(source, node, segments.slice(index))
    if (!step) return { missing: segments[index] ?? '' }
    trail.push({ cid: node.cid, block: node.block }, ...step.between)
    index += step.taken
    roots.push(step.cid)
    node = await source.read(step.cid)
  }
  return { node, roots, trail }
}

interface Step {
  cid: CID
  /** Segments used up. */
  taken: number
  /** Blocks between the node and `cid`. */
  between: ResolvedPath['trail']
}

async function stepInto(source: DagSource, node: DagNode, segments: readonly string[]): Promise<Step | undefined> {
  const [name = ''] = segments
  switch (node.kind) {
    case 'directory':
    case 'shard': {
      const { link, shards } = await findEntry(source, node, name)
      return link && { cid: link.cid, taken: 1, between: shards }
    }
    case 'data':
      return stepIntoData(node, segments)
    case 'opaque':
      throw node.problem
    default:
      return undefined
  }
}

function stepIntoData(node: DagNode & { kind: 'data' }, segments: readonly string[]): Step | undefined {
  let value = decodeData(node)
  for (const [index, segment] of segments.entries()) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined
    value = Object.entries(value).find(([key]) => key === segment)?.[1]
    const cid = CID.asCID(value)
    if (cid) return { cid, taken: index + 1, between: [] }
  }
  const message = `${canonicalCid(node.cid)}: reading IPLD Kinds other than Links (CBOR Tag 42) is not implemented`
  throw new AppError(501, 'not_a_link', message)
}

/** More of JSON or CBOR than this (bytes) is not decoded here, but sent as it is. */
const MAX_DATA_BYTES = 128 * 1024
/** The most data items of a block, which need some 5 ms: a block full of links with usual hashes has fewer. */
const MAX_DATA_ITEMS = 4096

/** Whether a JSON or CBOR block is short enough to be decoded. */
export function isReadable({ code }: CID, block: Uint8Array): boolean {
  if (block.byteLength > MAX_DATA_BYTES) return false
  if (block.byteLength <= MAX_DATA_ITEMS) return true
  const isJson = code === CODEC.json || code === CODEC.dagJson
  return isJson
    ? !hasMoreStructure(new TextDecoder().decode(block), MAX_DATA_ITEMS)
    : !hasMoreItems(block, MAX_DATA_ITEMS)
}

/** @throws {AppError} 422 for a JSON or CBOR block that is too long to be decoded. */
export function requireReadable(cid: CID, block: Uint8Array): void {
  if (isReadable(cid, block)) return
  const limits = `${MAX_DATA_BYTES} bytes or ${MAX_DATA_ITEMS} values of JSON or CBOR`
  throw invalidDag(cid, `has more than ${limits}; ask for ?format=raw`)
}

/** The value of a JSON or CBOR block; plain ones are read as their stricter `dag-` form. @throws {AppError} 500. */
export function decodeData(node: DagNode & { kind: 'data' }): unknown {
  requireReadable(node.cid, node.block)
  try {
    return node.codec.endsWith('json') ? dagJson.decode(node.block) : dagCbor.decode(node.block)
  } catch (cause) {
    throw invalidDag(node.cid, `is not valid ${node.codec}`, cause)
  }
}

/**
 * Whether these bytes have more than `most` data items of CBOR, including tags (RFC 8949, 3): their number, not their
 * size, decides the time of decoding. Invalid CBOR is left to the decoder.
 */
export function hasMoreItems(bytes: Uint8Array, most: number): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [BYTES, TEXT] = [2, 3]
  let items = 0
  for (let at = 0; at < bytes.byteLength; ) {
    if (++items > most) return true
    const head = view.getUint8(at)
    const type = head >> 5
    const short = head & 31
    // 24 to 27: the argument follows in 1, 2, 4 or 8 bytes.
    const width = short >= 24 && short <= 27 ? 2 ** (short - 24) : 0
    if (at + 1 + width > bytes.byteLength) return false
    const follows = type === BYTES || type === TEXT
    at += 1 + width + (follows ? readArgument(view, at + 1, width, short) : 0)
  }
  return false
}

function readArgument(view: DataView, at: number, width: number, short: number): number {
  if (width === 1) return view.getUint8(at)
  if (width === 2) return view.getUint16(at)
  if (width === 4) return view.getUint32(at)
  if (width === 8) return Number(view.getBigUint64(at))
  return short < 24 ? short : 0
}
