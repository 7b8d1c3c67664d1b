// After Miniflare's R2 (MIT, ../../LICENSE-miniflare).
import { DurableObject } from 'cloudflare:workers'
import { BlobRows, type Body } from './blob-rows.ts'
import { answerError, BucketError, DESCRIPTION_SIZE } from './bucket-error.ts'
import type { BucketRequest, RequestOf } from './bucket-request.ts'
import { conditionHolds } from './conditions.ts'
import { type ObjectRow, objectJson } from './object-json.ts'
import { listObjects, type ObjectPage } from './object-list.ts'
import { rangeOf } from './ranges.ts'
import { piecesOf, StoredObjects } from './stored-objects.ts'
import { Uploads } from './uploads.ts'

const MOST_BYTES = 5 * 2 ** 30 - 5 * 2 ** 20
const MOST_KEY_BYTES = 1024
const MOST_METADATA = 8192
const HASHES = ['sha1', 'sha256', 'sha384', 'sha512'] as const

/** The name of the object whose oldest contents give way. */
export const CACHE = 'cache'

export interface BucketEnv {
  /** What {@link CACHE} may have, in bytes. */
  CACHE_BYTES: string
}

/** A bucket: its keys, and their bytes as rows of the same database. */
export class Bucket extends DurableObject<BucketEnv> {
  readonly #blobs: BlobRows
  readonly #objects: StoredObjects
  readonly #uploads: Uploads

  constructor(ctx: DurableObjectState, env: BucketEnv) {
    super(ctx, env)
    this.#blobs = new BlobRows(ctx.storage.sql)
    this.#objects = new StoredObjects(
      ctx.storage,
      this.#blobs,
      ctx.id.name === CACHE ? Number(env.CACHE_BYTES) : undefined,
    )
    this.#uploads = new Uploads(ctx.storage.sql, this.#blobs)
  }

  /** What the runtime's R2 binding asks for, as its answer. `size`: of the body, in bytes. */
  async answer(request: BucketRequest, body: Body, size: number): Promise<Response> {
    try {
      return await this.#answer(request, body, size)
    } catch (error) {
      if (error instanceof BucketError) return answerError(error)
      throw error
    }
  }

  /** A page of keys. @throws {BucketError} */
  list(request: RequestOf<'list'>): ObjectPage {
    return listObjects(this.ctx.storage.sql, request)
  }

  /** Of all objects, in bytes. */
  size(): number {
    return this.#objects.bytes
  }

  async #answer(request: BucketRequest, body: Body, size: number): Promise<Response> {
    for (const key of keysOf(request)) {
      if (Buffer.byteLength(key) > MOST_KEY_BYTES) throw new BucketError('invalidName')
    }
    switch (request.method) {
      case 'head':
        return this.#head(request)
      case 'get':
        return this.#get(request)
      case 'put':
        return described(await this.#put(request, body, size))
      case 'list':
        return jsonAnswer(this.list(request))
      case 'delete':
        this.#objects.change(() => ({ result: undefined, old: this.#objects.delete(keysOf(request)) }))
        return new Response()
      case 'createMultipartUpload': {
        const metadata = metadataOf(request)
        return jsonAnswer({ uploadId: this.#uploads.begin(request.object, metadata) })
      }
      case 'uploadPart': {
        const draft = await this.#blobs.write(body, checkSize(size), ['md5'])
        return jsonAnswer(this.#named(draft.blob, () => this.#addPart(request, draft)))
      }
      case 'completeMultipartUpload':
        return described(this.#complete(request))
      case 'abortMultipartUpload':
        this.#objects.change(() => ({ result: undefined, old: this.#uploads.abort(request.uploadId) }))
        return new Response()
    }
  }

  #head({ object }: RequestOf<'head'>): Response {
    const row = this.#objects.find(object)
    if (!row) throw new BucketError('noSuchKey')
    return jsonAnswer(objectJson(row, { offset: 0, length: row.size }))
  }

  #get(request: RequestOf<'get'>): Response {
    const row = this.#objects.find(request.object)
    if (!row) throw new BucketError('noSuchKey')
    if (request.onlyIf && !conditionHolds(request.onlyIf, row)) {
      return answerError(
        new BucketError('preconditionFailed'),
        encode(objectJson(row, { offset: 0, length: row.size })),
      )
    }
    const range = rangeOf(request, row.size)
    const description = encode(objectJson(row, range))
    const headers = { [DESCRIPTION_SIZE]: String(description.length), 'Content-Type': 'application/json' }
    return new Response(this.#blobs.read(piecesOf(row), range, description), { headers })
  }

  async #put(request: RequestOf<'put'>, body: Body, size: number): Promise<ObjectRow> {
    const metadata = metadataOf(request)
    const given = HASHES.filter((name) => request[name] !== undefined)
    const draft = await this.#blobs.write(body, checkSize(size), ['md5', ...given])
    return this.#named(draft.blob, () => {
      const etag = draft.digests.get('md5') ?? ''
      const isWrong = given.some((name) => draft.digests.get(name) !== request[name])
      const md5 = request.md5 === undefined ? etag : Buffer.from(request.md5, 'base64').toString('hex')
      if (isWrong || md5 !== etag) throw new BucketError('badDigest')
      const checksums = JSON.stringify(Object.fromEntries(given.map((name) => [name, request[name]])))
      const row = newRow({ key: request.object, size, etag, checksums, metadata })
      return this.#objects.change(() => ({ result: row, old: this.#objects.put(row, draft, request.onlyIf) }))
    })
  }

  #addPart(request: RequestOf<'uploadPart'>, draft: Parameters<Uploads['addPart']>[1]): { etag: string } {
    return this.#objects.change(() => {
      const { etag, old } = this.#uploads.addPart(request, draft)
      return { result: { etag }, old }
    })
  }

  #complete(request: RequestOf<'completeMultipartUpload'>): ObjectRow {
    return this.#objects.change(() => {
      const { whole, old } = this.#uploads.complete(request)
      const metadata = { http: whole.http_metadata, custom: whole.custom_metadata }
      const row = newRow({ key: request.object, size: whole.size, etag: whole.etag, checksums: '{}', metadata })
      return { result: row, old: [...old, ...this.#objects.replace({ ...row, pieces: whole.pieces })] }
    })
  }

  /** Names a blob; where that fails it is removed. */
  #named<T>(blob: number, act: () => T): T {
    try {
      return act()
    } catch (error) {
      this.#blobs.sweep([blob])
      throw error
    }
  }
}

/** The keys that a request is about. */
export function keysOf(request: BucketRequest): string[] {
  if (request.method === 'list') return []
  if (request.method !== 'delete') return [request.object]
  return request.objects ?? (request.object === undefined ? [] : [request.object])
}

function checkSize(size: number): number {
  if (size > MOST_BYTES) throw new BucketError('tooLarge')
  return size
}

interface Metadata {
  http: string
  custom: string
}

/** As JSON. @throws {BucketError} */
function metadataOf({ customFields = [], httpFields = {} }: RequestOf<'put' | 'createMultipartUpload'>): Metadata {
  const length = customFields.reduce((sum, { k, v }) => sum + lengthOf(k) + lengthOf(v), 0)
  if (length > MOST_METADATA) throw new BucketError('metadataTooLarge')
  return {
    http: JSON.stringify(httpFields),
    custom: JSON.stringify(Object.fromEntries(customFields.map(({ k, v }) => [k, v]))),
  }
}

/** As R2 counts: two bytes a character where one needs them. */
function lengthOf(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Latin-1 is what is meant.
  return /^[\x00-\xff]*$/.test(text) ? text.length : text.length * 2
}

function newRow(facts: { key: string; size: number; etag: string; checksums: string; metadata: Metadata }): ObjectRow {
  const { key, size, etag, checksums, metadata } = facts
  const version = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex')
  const [http_metadata, custom_metadata] = [metadata.http, metadata.custom]
  return { key, version, size, etag, uploaded: Date.now(), checksums, http_metadata, custom_metadata }
}

function described(row: ObjectRow): Response {
  return jsonAnswer(objectJson(row))
}

function encode(value: unknown): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(JSON.stringify(value)))
}

/** An answer that has nothing but a description. */
export function jsonAnswer(value: unknown): Response {
  const bytes = encode(value)
  return new Response(bytes, {
    headers: { [DESCRIPTION_SIZE]: String(bytes.length), 'Content-Type': 'application/json' },
  })
}
