import { createCipheriv, createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

const PIECE = 16 * 2 ** 20

/** Writes a file of `size` incompressible bytes, the same for a seed; returns its SHA-256 in hex. */
export async function writeLargeFile(path: string, size: number, seed: number): Promise<string> {
  const key = createHash('sha256').update(String(seed)).digest()
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  const hash = createHash('sha256')
  const zeros = Buffer.alloc(PIECE)
  const file = await open(path, 'w')
  try {
    for (let at = 0; at < size; at += PIECE) {
      const bytes = cipher.update(zeros.subarray(0, Math.min(PIECE, size - at)))
      hash.update(bytes)
      await file.write(bytes)
    }
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

/** Numbers from `least` up to `most`, the same for a seed (mulberry32). */
export function seededNumbers(seed: number, count: number, least: number, most: number): number[] {
  let state = seed
  return Array.from({ length: count }, () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return least + Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * (most - least))
  })
}
