import crypto from 'node:crypto'

/** The header `Hookline-Proof` that answers a puzzle. */
export function solvePuzzle({ challenge, bits }: { challenge: string; bits: number }): string {
  for (let nonce = 0; ; nonce++) {
    const proof = `${challenge}.${nonce}`
    const digest = crypto.createHash('sha256').update(proof).digest()
    if (digest.readUInt32BE(0) >>> (32 - bits) === 0) return proof
  }
}
