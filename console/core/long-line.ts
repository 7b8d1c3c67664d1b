/** What the long line of 32 lines draws: the bytes of a name. */
export interface LongLine {
  width: number
  /** SVG path of the horizontal line. */
  top: string
  /** SVG path of the lines that hang from it. */
  hung: string
}

/** The first 32 bytes of a name: of a txid in hex, of a CIDv1 in base32 its digest; undefined otherwise. */
export function nameBytes(name: string): Uint8Array | undefined {
  if (/^[0-9a-f]{64}$/i.test(name)) return Uint8Array.from(name.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  if (!/^b[a-z2-7]{50,100}$/.test(name)) return undefined
  const bytes: number[] = []
  let held = 0
  let bits = 0
  for (const char of name.slice(1)) {
    held = (held << 5) | 'abcdefghijklmnopqrstuvwxyz234567'.indexOf(char)
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((held >> bits) & 0xff)
      held &= (1 << bits) - 1
    }
  }
  return bytes.length < 36 ? undefined : Uint8Array.from(bytes.slice(-32))
}

/**
 * The line for `bytes` in a box of `step` × 32 by `height`; each stroke has a length of 2.5 plus its share of the
 * height. `share`, 0 to 1, is the part that is drawn, from the left.
 */
export function drawLongLine(bytes: Uint8Array, step: number, height: number, share = 1): LongLine {
  const width = step * 32
  const shown = Math.round(Math.max(0, Math.min(1, share)) * 32)
  const hung = Array.from(bytes.subarray(0, shown), (byte, index) => {
    const length = 2.5 + (byte / 255) * (height - 4)
    return `M${step / 2 + index * step} 1.5v${length.toFixed(1)}`
  }).join('')
  return { width, top: `M0 1.5h${width}`, hung }
}
