// After Miniflare's R2 (MIT, ../../LICENSE-miniflare).
import { createHash } from 'node:crypto'
import type { BlobRows, Draft, Piece } from './blob-rows.ts'
import { BucketError } from './bucket-error.ts'
import type { RequestOf } from './bucket-request.ts'

/** Of all parts but the last, in bytes. */
const LEAST_PART = 5 << 20

const SCHEMA = `
CREATE TABLE IF NOT EXISTS uploads (
  id TEXT PRIMARY KEY, key TEXT NOT NULL, http_metadata TEXT NOT NULL, custom_metadata TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS upload_parts (
  upload TEXT NOT NULL REFERENCES uploads (id), number INTEGER NOT NULL, blob INTEGER NOT NULL, size INTEGER NOT NULL,
  etag TEXT NOT NULL, md5 TEXT NOT NULL, PRIMARY KEY (upload, number)
) WITHOUT ROWID;
`

type PartRow = {
  number: number
  blob: number
  size: number
  etag: string
  md5: string
}

type UploadRow = {
  http_metadata: string
  custom_metadata: string
}

/** What an upload in parts becomes. */
export type Assembled = UploadRow & {
  pieces: string
  size: number
  etag: string
}

/** Uploads in parts that have not ended; each method but the constructor is called within a transaction. */
export class Uploads {
  readonly #sql: SqlStorage
  readonly #blobs: BlobRows

  constructor(sql: SqlStorage, blobs: BlobRows) {
    this.#sql = sql
    this.#blobs = blobs
    sql.exec(SCHEMA)
  }

  begin(key: string, metadata: { http: string; custom: string }): string {
    const id = Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString('base64url')
    this.#sql.exec('INSERT INTO uploads VALUES (?, ?, ?, ?)', id, key, metadata.http, metadata.custom)
    return id
  }

  /** Names the blob of a part; returns its etag, and the blob that had its number. @throws {BucketError} */
  addPart({ object, uploadId, partNumber }: RequestOf<'uploadPart'>, draft: Draft): { etag: string; old: number[] } {
    this.#find(object, uploadId)
    const old = this.#parts(uploadId).filter(({ number }) => number === partNumber)
    const etag = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
    const [blob, size] = this.#blobs.name(draft)
    const md5 = draft.digests.get('md5') ?? ''
    this.#sql.exec(
      'INSERT OR REPLACE INTO upload_parts VALUES (?, ?, ?, ?, ?, ?)',
      uploadId,
      partNumber,
      blob,
      size,
      etag,
      md5,
    )
    return { etag, old: old.map((part) => part.blob) }
  }

  /** Ends an upload with these parts; `old`: the blobs of the others. @throws {BucketError} */
  complete({ object, uploadId, parts }: RequestOf<'completeMultipartUpload'>): { whole: Assembled; old: number[] } {
    const upload = this.#find(object, uploadId)
    const uploaded = new Map(this.#parts(uploadId).map((part) => [part.number, part]))
    if (new Set(parts.map(({ part }) => part)).size < parts.length) throw new BucketError('internal')
    const chosen = parts.map(({ part, etag }) => {
      const found = uploaded.get(part)
      if (found?.etag !== etag) throw new BucketError('invalidPart')
      return found
    })
    if (chosen.slice(0, -1).some(({ size }) => size < LEAST_PART)) throw new BucketError('tooSmall')
    chosen.sort((a, b) => a.number - b.number)
    const [first, last] = [chosen[0], chosen.at(-1)]
    if (!first || !last) throw new BucketError('badUpload')
    const isEven = chosen.slice(0, -1).every(({ size }) => size === first.size) && last.size <= first.size
    if (!isEven) throw new BucketError('badUpload')
    const taken = new Set(chosen.map(({ blob }) => blob))
    const old = [...uploaded.values()].map(({ blob }) => blob).filter((blob) => !taken.has(blob))
    this.#forget(uploadId)
    const digest = createHash('md5')
    for (const { md5 } of chosen) digest.update(md5, 'hex')
    const pieces = chosen.map(({ blob, size }): Piece => [blob, size])
    const whole = {
      ...upload,
      pieces: JSON.stringify(pieces),
      size: chosen.reduce((sum, { size }) => sum + size, 0),
      etag: `${digest.digest('hex')}-${chosen.length}`,
    }
    return { whole, old }
  }

  /** Ends an upload; returns the blobs of its parts. Nothing where it has ended. */
  abort(uploadId: string): number[] {
    const blobs = this.#parts(uploadId).map(({ blob }) => blob)
    this.#forget(uploadId)
    return blobs
  }

  #find(key: string, id: string): UploadRow {
    const [row] = this.#sql
      .exec<UploadRow>('SELECT http_metadata, custom_metadata FROM uploads WHERE id = ? AND key = ?', id, key)
      .toArray()
    if (!row) throw new BucketError('noSuchUpload')
    return row
  }

  #parts(id: string): PartRow[] {
    return this.#sql
      .exec<PartRow>('SELECT number, blob, size, etag, md5 FROM upload_parts WHERE upload = ?', id)
      .toArray()
  }

  #forget(id: string): void {
    this.#sql.exec('DELETE FROM upload_parts WHERE upload = ?', id)
    this.#sql.exec('DELETE FROM uploads WHERE id = ?', id)
  }
}
