import type { CID } from 'multiformats/cid'
import { isTextType, mediaTypeEssence } from '../../../contract/media-type.ts'
import { concatBytes } from '../../../protocol/bytes.ts'
import { readWhole } from '../../../reader/read-whole.ts'
import { now } from '../../platform/clock.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import { type Coding, chooseCoding } from '../../platform/http/negotiate-encoding.ts'
import { readSized } from '../../platform/http/read-sized.ts'
import type { Representation, SizedBody } from '../../platform/http/respond.ts'

/** The least that is compressed, in bytes: what is shorter is in one packet in any case, with its headers. */
const MIN_ENCODED_BYTES = 128
/** The most that is compressed, in bytes. */
const MAX_ENCODED_BYTES = 12 << 20
/** Content of up to this size (bytes) is compressed before its answer begins; larger content while it is sent. */
const WHOLE_BYTES = 1 << 20
/** The largest compressed form that is kept, in bytes: of 12 MiB of scripts it is some 2 MiB. */
const MAX_KEPT_BYTES = 6 << 20
/** Large contents that are compressed at once: each has an encoder, and what it made so far. Others are sent as they are. */
const MAX_AT_ONCE = 2
/** How long (ms) one counts as under way: a request that is cancelled stops without notice. */
const UNDER_WAY_MS = 30_000

/** What is compressed. */
interface TextContent {
  /** A name that no other bytes have. */
  name: string
  /** The blocks that were read of it so far; `undefined` for too many. */
  blocks?: () => readonly CID[] | undefined
  /** Throws for denied blocks. */
  refuse?: (cids: readonly CID[]) => void
}

/** `bytes` are empty for text that does not become smaller; `cids`: the blocks of large content, which is not read again. */
interface Kept {
  bytes: Uint8Array
  cids: readonly CID[]
}

/** Compressed forms, by coding and name. */
const kept = new MemoryCache<Kept>(MAX_KEPT_BYTES)
/** Estimated memory of a CID in it (bytes). */
const CID_BYTES = 100
/** Keys of large contents, and since when they are compressed (ms since 1970). */
const underWay = new Map<string, number>()

type Compressing = Exclude<Coding, 'identity'>

/**
 * Text, and WebAssembly, in the coding that the client prefers, compressed once and kept in memory; as it is where the
 * client accepts none, in part, and above 12 MiB. Other content does not change. Each coding has its own entity tag, because
 * its bytes differ; a client with the uncompressed form can still use it.
 * @throws {AppError} 451, and what reading the content throws.
 */
export async function encodeText(
  request: Request,
  page: Representation,
  content: TextContent,
): Promise<Representation> {
  const { body, etag, headers, otherEtags = [] } = page
  if (!isCompressible(headers.get('Content-Type') ?? '')) return page
  if (!/accept-encoding/i.test(headers.get('Vary') ?? '')) headers.append('Vary', 'Accept-Encoding')
  const coding = chooseCoding(request)
  if (coding === 'identity') return page
  const sized = asSized(body)
  if (!sized || sized.size < MIN_ENCODED_BYTES || sized.size > MAX_ENCODED_BYTES) return page
  const encoded =
    sized.size > WHOLE_BYTES
      ? encodeLarge(sized, coding, content)
      : await encodeWhole(body instanceof Uint8Array ? body : sized, coding, content)
  if (!encoded) return page
  headers.set('Content-Encoding', coding)
  const tag = etag.replace(/"$/, coding === 'br' ? '.br"' : '.gz"')
  return { ...page, ...encoded, etag: tag, otherEtags: [etag, ...otherEtags] }
}

function isCompressible(type: string): boolean {
  const essence = mediaTypeEssence(type)
  return isTextType(essence) || essence === 'application/wasm'
}

function asSized(body: Representation['body']): SizedBody | undefined {
  if (!(body instanceof Uint8Array)) return body.kind === 'file' ? body : undefined
  return sizedBody(body)
}

function sizedBody(bytes: Uint8Array): SizedBody {
  return {
    kind: 'file',
    size: bytes.byteLength,
    async *read({ start, end }) {
      yield bytes.subarray(start, end + 1)
    },
  }
}

/** Content that is in memory as a whole; `undefined` if it does not become smaller. */
async function encodeWhole(
  body: Uint8Array | SizedBody,
  coding: Compressing,
  { name }: TextContent,
): Promise<Pick<Representation, 'body' | 'again'> | undefined> {
  const key = `${coding} ${name}`
  let bytes = kept.get(key)?.bytes
  if (!bytes) {
    const whole =
      body instanceof Uint8Array ? body : await readSized(body.read({ start: 0, end: body.size - 1 }), body.size)
    const encoded = await readWhole(await compress([whole], whole.byteLength, coding))
    bytes = encoded.byteLength < whole.byteLength ? encoded : new Uint8Array(0)
    kept.set(key, { bytes, cids: [] }, bytes.byteLength)
  }
  return bytes.byteLength > 0 ? { body: bytes, again: () => kept.get(key)?.bytes } : undefined
}

/** Content that is compressed while it is sent; `undefined` while others are, or the same is. */
function encodeLarge(
  body: SizedBody,
  coding: Compressing,
  { name, blocks = () => [], refuse = () => {} }: TextContent,
): Pick<Representation, 'body'> | undefined {
  const key = `${coding} ${name}`
  const known = kept.get(key)
  if (known) {
    refuse(known.cids)
    // Not in the cache of answers, which would have to know the blocks as well.
    return { body: sizedBody(known.bytes) }
  }
  for (const [other, since] of underWay) if (now() - since > UNDER_WAY_MS) underWay.delete(other)
  if (underWay.has(key) || underWay.size >= MAX_AT_ONCE) return undefined
  const read = () => compressAndKeep(key, body, coding, blocks)
  return { body: { kind: 'stream', read } }
}

async function* compressAndKeep(
  key: string,
  body: SizedBody,
  coding: Compressing,
  blocks: () => readonly CID[] | undefined,
): AsyncGenerator<Uint8Array> {
  underWay.set(key, now())
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for await (const part of await compress(body.read({ start: 0, end: body.size - 1 }), body.size, coding)) {
      length += part.byteLength
      if (length <= MAX_KEPT_BYTES) parts.push(part)
      else parts.length = 0
      yield part
    }
    const cids = blocks()
    if (length > MAX_KEPT_BYTES || !cids) return
    kept.set(key, { bytes: concatBytes(parts), cids }, length + CID_BYTES * cids.length)
  } finally {
    underWay.delete(key)
  }
}

// Loaded when first needed: few answers are not kept.
async function compress(
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  size: number,
  coding: Compressing,
): Promise<AsyncGenerator<Uint8Array>> {
  return (await import('./compress.ts')).compress(parts, size, coding)
}
