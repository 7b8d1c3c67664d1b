import { createHash } from 'node:crypto'

/** Incompressible bytes, the same for the same seed. */
export function randomBytes(length: number, seed: string): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let start = 0, block = 0; start < length; start += 64, block++) {
    const digest = createHash('sha512').update(`${seed} ${block}`).digest()
    bytes.set(digest.subarray(0, Math.min(64, length - start)), start)
  }
  return bytes
}

const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu an er in on ur'.split(' ')

/** HTML of exactly `length` bytes that is about as compressible as prose, the same for the same seed. */
export function samplePage(length: number, seed: string): Uint8Array {
  const random = randomBytes(2 * length, seed)
  let next = 0
  const pick = (count: number) => (random[next++ % random.length] ?? 0) % count
  const parts = ['<!doctype html><title>A page</title>\n<p>']
  let written = parts[0]?.length ?? 0
  while (written < length) {
    const word = Array.from({ length: 1 + pick(4) }, () => SYLLABLES[pick(SYLLABLES.length)]).join('')
    const part = pick(40) === 0 ? `${word}.</p>\n<p class="c${pick(9)}">` : `${word} `
    parts.push(part)
    written += part.length
  }
  return new TextEncoder().encode(parts.join('')).subarray(0, length)
}
