import { sha256 } from '@noble/hashes/sha2.js'
import { ApiError } from './api-error.ts'
import { isRecord } from './parse-json.ts'

/** Between two pauses, in which the page may do something else, it is looked for so many ms. */
const PORTION_MS = 20

/** Bits that a browser finds in a few seconds; a service that wants more is not believed. */
const MOST_BITS = 24

/** A proof may be too late, or its network another by then: so many are made for one request. */
const MOST_PROOFS = 3

/**
 * What `send` resolves to with a proof of work (`Hookline-Proof`), where `refusal` asks for one. @throws `refusal` where
 * it does not.
 */
export async function sendWithProof<Answer>(
  refusal: unknown,
  send: (headers: Record<string, string>) => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  let error = refusal
  for (let proofs = 0; proofs < MOST_PROOFS; proofs++) {
    const { puzzle } = error instanceof ApiError && error.code === 'proof_needed' ? error.details : {}
    if (!isRecord(puzzle) || typeof puzzle.challenge !== 'string' || typeof puzzle.bits !== 'number') break
    if (!(puzzle.bits <= MOST_BITS)) break
    const proof = await solvePuzzle(puzzle.challenge, puzzle.bits, signal)
    try {
      return await send({ 'Hookline-Proof': proof })
    } catch (next) {
      error = next
    }
  }
  throw error
}

/** `<challenge>.<nonce>`, whose SHA-256 begins with `bits` zero bits. */
async function solvePuzzle(challenge: string, bits: number, signal: AbortSignal | undefined): Promise<string> {
  const text = new TextEncoder()
  const head = sha256.create().update(text.encode(`${challenge}.`))
  let pauseAt = Date.now() + PORTION_MS
  for (let nonce = 0; ; nonce++) {
    const digest = head
      .clone()
      .update(text.encode(String(nonce)))
      .digest()
    if (new DataView(digest.buffer).getUint32(digest.byteOffset) < 2 ** (32 - bits)) return `${challenge}.${nonce}`
    if (nonce % 256 === 0 && Date.now() > pauseAt) {
      await new Promise((resolve) => setTimeout(resolve))
      signal?.throwIfAborted()
      pauseAt = Date.now() + PORTION_MS
    }
  }
}
