/** Numbers from 0 to `below`, without it. */
export type Random = (below: number) => number

/** The longest input that is tried, in bytes. */
export const MAX_BYTES = 64 * 1024

/** Bytes that mean something to many formats: ends of ranges of lengths and counts. */
const ODD_BYTES = [0, 1, 0x7f, 0x80, 0xfc, 0xfd, 0xfe, 0xff]

/** A seeded source of numbers (xorshift32), so that a run can be repeated. */
export function seededRandom(seed: number): Random {
  let state = seed | 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

/** A changed copy of an input: up to eight changes; `words` are texts of the format, `other` is another input of it. */
export function mutate(input: Uint8Array, other: Uint8Array, words: readonly Uint8Array[], random: Random): Uint8Array {
  let bytes = input.slice()
  for (let changes = 1 + random(8); changes > 0; changes--) bytes = change(bytes, other, words, random)
  return bytes.subarray(0, MAX_BYTES)
}

function change(
  bytes: Uint8Array<ArrayBuffer>,
  other: Uint8Array,
  words: readonly Uint8Array[],
  random: Random,
): Uint8Array<ArrayBuffer> {
  const at = random(bytes.length + 1)
  const length = 1 + random(Math.min(16, bytes.length + 1))
  switch (random(8)) {
    case 0:
      return replace(bytes, at, 1, Uint8Array.of((bytes[at] ?? 0) ^ (1 << random(8))))
    case 1:
      return replace(bytes, at, 1, Uint8Array.of(ODD_BYTES[random(ODD_BYTES.length)] ?? 0))
    case 2:
      return replace(bytes, at, 0, Uint8Array.of(random(256)))
    case 3:
      return replace(bytes, at, length, new Uint8Array(0))
    case 4:
      return replace(bytes, at, 0, repeated(bytes.subarray(at, at + length), 1 + random(32)))
    case 5:
      return replace(bytes, at, random(2) * length, words[random(words.length)] ?? new Uint8Array(4).fill(0xff))
    case 6:
      return replace(bytes, at, random(2) * length, slice(other, random))
    default:
      return replace(
        bytes,
        at,
        length,
        Uint8Array.from({ length }, () => random(256)),
      )
  }
}

function slice(bytes: Uint8Array, random: Random): Uint8Array {
  const start = random(bytes.length + 1)
  return bytes.subarray(start, start + 1 + random(256))
}

function repeated(bytes: Uint8Array, times: number): Uint8Array {
  const whole = new Uint8Array(bytes.length * times)
  for (let time = 0; time < times; time++) whole.set(bytes, time * bytes.length)
  return whole
}

function replace(bytes: Uint8Array, at: number, length: number, by: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(Math.max(at, bytes.length - length) + by.length)
  whole.set(bytes.subarray(0, at))
  whole.set(by, at)
  if (at + length < bytes.length) whole.set(bytes.subarray(at + length), at + by.length)
  return whole
}
