import type { ByteRange } from '../../contract/byte-range.ts'

/** Content that is open for reading, of which every byte that it yields is verified. */
export interface OpenContent {
  /** Bytes of the whole. */
  size: number
  /** Names these bytes. */
  etag: string
  /** What is known of its media type. */
  type: string | undefined
  /** The bytes of a range; to be called once. */
  read(range: ByteRange): AsyncGenerator<Uint8Array>
}

/** The part that a request will want, as far as it can be said before the size is known; nothing for a suffix. */
export interface Wanted {
  start: number
  end: number | undefined
}

/** What the header `Range` wants at first, or the whole. */
export function wantedOf(range: string | null): Wanted {
  const [, start, end = ''] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(range?.trim() ?? '') ?? []
  return { start: Number(start ?? 0), end: start === undefined || end === '' ? undefined : Number(end) }
}

/** Reads from hosts with the runtime's own means. */
export interface Tools {
  hosts: readonly string[]
  fetch: (url: string, init: RequestInit) => Promise<Response>
  sha256(bytes: Uint8Array): Promise<Uint8Array>
}
