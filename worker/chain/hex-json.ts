/** JSON with its long hex strings taken out. */
export interface HexJson {
  /** The JSON; in place of each string that was taken out stands its index in `hex`, a number. */
  text: string
  hex: Uint8Array[]
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Shorter strings, such as a txid, stay. */
const LEAST_DIGITS = 66

const DIGIT = new Int8Array(256).fill(-1)
for (const [digits, base] of [
  ['0123456789', 0],
  ['abcdef', 10],
  ['ABCDEF', 10],
] as const) {
  for (let index = 0; index < digits.length; index++) DIGIT[digits.charCodeAt(index)] = base + index
}

/**
 * Takes the transactions out of a node's answer as bytes, without a JavaScript string of their hex: that alone takes
 * several times what hashing them does. What else `json` holds, valid or not, is left to whoever parses `text`.
 * `json` is overwritten.
 */
export function takeHexOut(json: Uint8Array): HexJson {
  const hex: Uint8Array[] = []
  const decoded = new Uint8Array(json.length >> 1)
  let used = 0
  let written = 0
  let copied = 0
  let open = json.indexOf(QUOTE)
  while (open >= 0) {
    const close = endOfString(json, open)
    if (close < 0) break
    const length = decodeHex(json, open + 1, close, decoded, used)
    if (length > 0) {
      json.copyWithin(written, copied, open)
      written += open - copied
      copied = close + 1
      for (const digit of String(hex.length)) json[written++] = digit.charCodeAt(0)
      hex.push(decoded.subarray(used, used + length))
      used += length
    }
    open = json.indexOf(QUOTE, close + 1)
  }
  json.copyWithin(written, copied)
  written += json.length - copied
  return { text: new TextDecoder().decode(json.subarray(0, written)), hex }
}

/** The quote that ends the string that `open` begins: one behind an odd number of backslashes is part of it. */
function endOfString(json: Uint8Array, open: number): number {
  let close = json.indexOf(QUOTE, open + 1)
  while (close > 0) {
    let before = close
    while (json[before - 1] === BACKSLASH) before--
    if ((close - before) % 2 === 0) break
    close = json.indexOf(QUOTE, close + 1)
  }
  return close
}

/** Decodes `json` from `start` to `end` into `into` at `offset`; gives the bytes written, 0 for what is no long hex. */
function decodeHex(json: Uint8Array, start: number, end: number, into: Uint8Array, offset: number): number {
  const digits = end - start
  if (digits < LEAST_DIGITS || digits % 2 !== 0) return 0
  let wrong = 0
  let to = offset
  for (let from = start; from < end; from += 2) {
    const byte = ((DIGIT[json[from] ?? 0] ?? -1) << 4) | (DIGIT[json[from + 1] ?? 0] ?? -1)
    wrong |= byte
    into[to++] = byte
  }
  return wrong < 0 ? 0 : digits / 2
}
