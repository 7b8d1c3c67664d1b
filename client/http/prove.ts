import { sha256 } from '@noble/hashes/sha2.js'
import { ApiError } from './api-error.ts'
import { isRecord } from './parse-json.ts'

/** The search runs for this many ms at a time, so that the page can do other work in between. */
const PORTION_MS = 20

/** The most zero bits that a browser finds in a few seconds. A service that asks for more is not obeyed. */
const MOST_BITS = 24

/** A proof may be too late, or its network may have changed. This many are made for one request. */
const MOST_PROOFS = 3

/**
 * What `send` resolves to when it has the proof of work (`Hookline-Proof`) that `refusal` asks for.
 * @throws `refusal` if it does not ask for one
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
