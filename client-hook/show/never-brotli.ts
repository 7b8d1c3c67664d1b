/** What PNG and JPEG files begin with, in hex. A Brotli stream that begins so is invalid, whatever follows. */
const BEGINNINGS = ['89504e470d0a1a0a0000000d49484452', 'ffd8ff']

/** Whether bytes cannot be a Brotli stream, so that no decoder is needed to know it. */
export function isNeverBrotli(bytes: Uint8Array): boolean {
  const start = Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return BEGINNINGS.some((beginning) => start.startsWith(beginning))
}
