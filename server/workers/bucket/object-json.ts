// After Miniflare's R2 (MIT, ../../LICENSE-miniflare).
import type { ByteRange } from './ranges.ts'

/** What a row of `objects` has beside its bytes. */
export type ObjectRow = {
  key: string
  version: string
  size: number
  etag: string
  /** Milliseconds since 1970. */
  uploaded: number
  /** JSON: `sha256` and others in hex, where they were given. */
  checksums: string
  http_metadata: string
  custom_metadata: string
}

/** An object as the runtime's R2 binding reads it. */
export interface ObjectJson {
  name: string
  version: string
  size: number
  etag: string
  uploaded: number
  httpFields: Record<string, string | number>
  customFields: { k: string; v: string }[]
  range: ByteRange | undefined
  /** Hex, by the runtime's numbers of the algorithms. */
  checksums: Record<number, string | undefined>
}

/** Of a row; `range`: of the bytes that follow it. */
export function objectJson(row: ObjectRow, range?: ByteRange): ObjectJson {
  const checksums: Record<string, string> = JSON.parse(row.checksums)
  const custom: Record<string, string> = JSON.parse(row.custom_metadata)
  return {
    name: row.key,
    version: row.version,
    size: row.size,
    etag: row.etag,
    uploaded: row.uploaded,
    httpFields: JSON.parse(row.http_metadata),
    customFields: Object.entries(custom).map(([k, v]) => ({ k, v })),
    range,
    checksums: {
      // An etag of several parts is no MD5 of the whole.
      0: /^[\da-f]{32}$/.test(row.etag) ? row.etag : undefined,
      1: checksums.sha1,
      2: checksums.sha256,
      3: checksums.sha384,
      4: checksums.sha512,
    },
  }
}
