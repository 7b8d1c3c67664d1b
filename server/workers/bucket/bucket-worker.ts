import { WorkerEntrypoint } from 'cloudflare:workers'
import { Buffer } from 'node:buffer'
import { isDiskFull, noteFailure } from '../disk-room.ts'
import type { Body } from './blob-rows.ts'
import { answerError, BucketError, DESCRIPTION_SIZE, REQUEST } from './bucket-error.ts'
import { Bucket, CACHE, jsonAnswer, keysOf } from './bucket-object.ts'
import { type BucketRequest, parseBucketRequest, type RequestOf } from './bucket-request.ts'

export { Bucket }

/** The object of what cannot be fetched again. */
const KEPT = 'kept'
/** Keys of contents that are fetched again where they are missing. */
const REFETCHED = ['chain/', 'ipfs/cache/', 'ipfs/ipns/']
/** Bodies up to this size come at once, in bytes. */
const AT_ONCE = 1 << 20

interface Env {
  BUCKETS: DurableObjectNamespace<Bucket>
  /** The folder of the data. */
  DISK: Fetcher
}

/** What both buckets hold, and whether the disk has no room for more. */
export interface BucketState {
  bytes: number
  isFull: boolean
}

/** What the database asks. */
export class BucketReport extends WorkerEntrypoint<Env> {
  /** How both buckets are. */
  async state(): Promise<BucketState> {
    const { BUCKETS, DISK } = this.env
    const isFull = await isDiskFull(DISK)
    const sizes = [KEPT, CACHE].map((name) => BUCKETS.get(BUCKETS.idFromName(name)).size())
    return { bytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0), isFull }
  }
}

/** The R2 binding of the main Worker, on two buckets: what may give way, and the rest. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    try {
      const asked = await readRequest(request)
      return await answer(asked, env)
    } catch (error) {
      if (error instanceof BucketError) return answerError(error)
      noteFailure(error)
      throw error
    }
  },
}

interface Asked {
  request: BucketRequest
  body: Body
  /** Of the body, in bytes. */
  size: number
}

async function answer({ request, body, size }: Asked, env: Env): Promise<Response> {
  const bucket = (name: string) => env.BUCKETS.get(env.BUCKETS.idFromName(name))
  if (request.method === 'list') return await list(request, bucket)
  const keys = keysOf(request)
  if (request.method !== 'delete') return await bucket(placeOf(keys[0] ?? '')).answer(request, body, size)
  for (const name of [KEPT, CACHE]) {
    const objects = keys.filter((key) => placeOf(key) === name)
    if (objects.length > 0) await bucket(name).answer({ method: 'delete', objects }, body, 0)
  }
  return new Response()
}

/** A page of the bucket that has the prefix, or of both where it is shorter than what divides them. */
async function list(
  request: RequestOf<'list'>,
  bucket: (name: string) => DurableObjectStub<Bucket>,
): Promise<Response> {
  const { prefix = '' } = request
  const isShared = REFETCHED.some((place) => place.startsWith(prefix) && place !== prefix)
  if (!isShared) return await bucket(placeOf(prefix)).answer(request, new Uint8Array(), 0)
  if (request.delimiter) throw new BucketError('invalidArgument')
  const pages = await Promise.all([KEPT, CACHE].map((name) => bucket(name).list(request)))
  const all = pages.flatMap(({ objects }) => objects).sort((a, b) => compareKeys(a.name, b.name))
  const most = Math.max(...pages.map(({ objects }) => objects.length), request.limit ?? 1000)
  // A page that goes on may have keys before the other's last.
  const ends = pages.flatMap(({ truncated, objects }) => (truncated ? objects.slice(-1) : [])).map(({ name }) => name)
  const known = all.filter(({ name }) => ends.every((end) => compareKeys(name, end) <= 0))
  const objects = known.slice(0, most)
  const truncated = objects.length < all.length || ends.length > 0
  const cursor = truncated ? Buffer.from(objects.at(-1)?.name ?? '').toString('base64') : undefined
  return jsonAnswer({ objects, truncated, cursor, delimitedPrefixes: [] })
}

function compareKeys(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

function placeOf(key: string): string {
  return REFETCHED.some((prefix) => key.startsWith(prefix)) ? CACHE : KEPT
}

async function readRequest(request: Request): Promise<Asked> {
  const empty = new Uint8Array()
  if (request.method === 'GET') {
    const text = request.headers.get(REQUEST)
    if (text === null) throw new BucketError('invalidArgument')
    return { request: parseBucketRequest(text), body: empty, size: 0 }
  }
  const [described, length] = [DESCRIPTION_SIZE, 'Content-Length'].map((name) => Number(request.headers.get(name)))
  if (!described || !length || !request.body) throw new BucketError('invalidArgument')
  const size = length - described
  if (size <= AT_ONCE) {
    const bytes = new Uint8Array(await request.arrayBuffer())
    return { request: parseText(bytes.subarray(0, described)), body: bytes.subarray(described), size }
  }
  const reader = request.body.getReader({ mode: 'byob' })
  const { value } = await reader.readAtLeast(described, new Uint8Array(described))
  reader.releaseLock()
  const rest = request.body.pipeThrough(new FixedLengthStream(size))
  return { request: parseText(value ?? empty), body: rest, size }
}

function parseText(bytes: Uint8Array): BucketRequest {
  return parseBucketRequest(new TextDecoder().decode(bytes))
}
