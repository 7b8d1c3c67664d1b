/** Most bytes that are read at once. */
export const PIECE_BYTES = 64 * 1024

/** A request's body, piece by piece into one buffer. */
export interface BodyPieces {
  /**
   * The next bytes, at most `most` of them, in a buffer that the next call uses again; `undefined` at the end.
   * @throws when the connection was cut.
   */
  next(most: number): Promise<Uint8Array | undefined>
  /** Ends it: a read that waits gets the end. */
  cancel(): Promise<void>
}

/** Reads a body without holding more of it than one piece. */
export function bodyPieces(body: ReadableStream<Uint8Array>): BodyPieces {
  const reader = body.getReader({ mode: 'byob' })
  let buffer = new ArrayBuffer(PIECE_BYTES)
  return {
    async next(most) {
      const { done, value } = await reader.read(new Uint8Array(buffer, 0, Math.min(most, PIECE_BYTES)))
      if (value) buffer = value.buffer
      return done || value === undefined ? undefined : value
    },
    cancel: () => reader.cancel(),
  }
}
