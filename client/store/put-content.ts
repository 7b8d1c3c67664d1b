/** Bytes with random access: an open file, or memory. */
export interface ByteSource {
  readonly size: number
  /** Exactly the bytes from `start` up to `end`. */
  read(start: number, end: number): Promise<Uint8Array>
}

/**
 * Content as a stream. `stream` opens it from the beginning each time, because an interrupted upload reads it again.
 */
export interface StreamedContent {
  /** Size in bytes. */
  readonly size: number
  stream(): ByteStream | Promise<ByteStream>
}

export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** What can be stored. A plain stream cannot, because an interrupted upload must read it again. */
export type PutContent = ByteSource | StreamedContent | Blob | Uint8Array | ArrayBuffer | string
