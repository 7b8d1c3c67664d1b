/**
 * A file of 0 bytes as it is stored on a chain, because an output can't be without data: the shortest Brotli stream that
 * decodes to nothing (RFC 7932, 9.1 and 9.2: WBITS 16, ISLAST, ISLASTEMPTY).
 */
export const EMPTY_FILE = 0x06

/**
 * Whether stored content is a file of 0 bytes: that one byte. Any other Brotli stream that decodes to nothing is no
 * file of 0 bytes, but the bytes that it has: short plain text can be one.
 */
export function isEmptyFile(stored: Uint8Array): boolean {
  return stored.length === 1 && stored[0] === EMPTY_FILE
}
