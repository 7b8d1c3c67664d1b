/** JSON without its long hex strings. */
export interface HexJson {
  /** The JSON; each string that was cut out is replaced by its index in `hex`, a number. */
  text: string
  hex: Uint8Array[]
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Shorter strings, such as a txid, stay. */
const MIN_DIGITS = 66

const DIGIT = new Int8Array(256).fill(-1)
for (const [digits, base] of [
  ['0123456789', 0],
  ['abcdef', 10],
  ['ABCDEF', 10],
] as const) {
  for (let index = 0; index < digits.length; index++) DIGIT[digits.charCodeAt(index)] = base + index
}

/**
 * The transactions of a node's answer as bytes, and the JSON without them. No JavaScript string of their hex is made: that
 * alone needs several times as long as hashing them. Whether the JSON is valid, the parser of `text` decides. `json` is
 * overwritten.
 */
export function extractHex(json: Uint8Array): HexJson {
  const hex: Uint8Array[] = []
  const decoded = new Uint8Array(json.length >> 1)
  let used = 0
  // What stays moves up to `written`; it is never ahead of what is read.
  let written = 0
  let at = 0
  while (at < json.length) {
    const byte = json[at] ?? 0
    json[written++] = byte
    at++
    if (byte !== QUOTE) continue
    const end = decodeHex(json, at, decoded, used)
    if (json[end] === QUOTE && end - at >= MIN_DIGITS) {
      const length = (end - at) / 2
      written--
      for (const digit of String(hex.length)) json[written++] = digit.charCodeAt(0)
      hex.push(decoded.subarray(used, used + length))
      used += length
      at = end + 1
      continue
    }
    for (let inside = true; inside && at < json.length; ) {
      const character = json[at++] ?? 0
      json[written++] = character
      if (character === BACKSLASH && at < json.length) json[written++] = json[at++] ?? 0
      else if (character === QUOTE) inside = false
    }
  }
  return { text: new TextDecoder().decode(json.subarray(0, written)), hex }
}

/** The end of the last pair of hex digits from `start` on. The pairs are decoded into `into` at `offset`. */
function decodeHex(json: Uint8Array, start: number, into: Uint8Array, offset: number): number {
  let from = start
  for (let to = offset; from + 1 < json.length; from += 2) {
    const byte = ((DIGIT[json[from] ?? 0] ?? -1) << 4) | (DIGIT[json[from + 1] ?? 0] ?? -1)
    if (byte < 0) break
    into[to++] = byte
  }
  return from
}
