/** Bytes that can be read again, at any place: an open file, or what is in memory. */
export interface ByteSource {
  readonly size: number
  /** Exactly the bytes from `start` up to `end`. */
  read(start: number, end: number): Promise<Uint8Array>
}

/** Content that comes as a stream, which `stream` opens from the beginning each time: what is interrupted is read again. */
export interface StreamedContent {
  /** Bytes in all. */
  readonly size: number
  stream(): ByteStream | Promise<ByteStream>
}

export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** What can be stored. A stream alone is not among it: what is interrupted must be readable again. */
export type PutContent = ByteSource | StreamedContent | Blob | Uint8Array | ArrayBuffer | string
