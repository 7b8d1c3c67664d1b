/** The two digits of each byte, in memory order. */
const DIGITS = new Uint16Array(
  Uint8Array.from({ length: 512 }, (_, index) => '0123456789abcdef'.charCodeAt((index >> (index & 1 ? 1 : 5)) & 15))
    .buffer,
)

/** The four digits of each pair of bytes, in memory order; made for the first request of hex. */
let pairDigits: Uint32Array | undefined

function makePairDigits(): Uint32Array {
  return Uint32Array.from({ length: 1 << 16 }, (_, pair) => digitsOf(pair & 0xff) + digitsOf(pair >> 8) * 0x10000)
}

function digitsOf(byte: number): number {
  return DIGITS[byte] ?? 0
}

/**
 * Writes the hex digits of `bytes` to the start of `target`, whose offset in its buffer is a multiple of 4. By pairs of
 * bytes 550 to 900 MB/s in workerd, by single bytes 150 to 270, by `toHex` and by `Buffer` 60 to 170.
 */
export function writeHex(bytes: Uint8Array, target: Uint8Array): void {
  pairDigits ??= makePairDigits()
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice()
  const pairs = new Uint16Array(aligned.buffer, aligned.byteOffset, bytes.length >> 1)
  const digits = new Uint32Array(target.buffer, target.byteOffset, pairs.length)
  for (let index = 0; index < digits.length; index++) digits[index] = pairDigits[pairs[index] ?? 0] ?? 0
  if (bytes.length % 2 === 0) return
  const last = digitsOf(bytes[bytes.length - 1] ?? 0)
  target[2 * bytes.length - 2] = last & 0xff
  target[2 * bytes.length - 1] = last >> 8
}
