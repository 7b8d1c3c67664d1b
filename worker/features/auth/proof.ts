import crypto from 'node:crypto'
import type { TokenKey } from '../../platform/config/token-keys.ts'
import { AppError, tooManyRequests } from '../../platform/http/errors.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { type AnsweredChallenge, checkChallenge, makeChallenge } from './challenge.ts'
import { addressDigest, type ProofCause } from './count-attempt.ts'

/** Zero bits that the SHA-256 of a proof begins with: a browser finds one in some tenths of a second. */
const PROOF_BITS = 16

/** What a proof is requested for, where too many hashes wait. */
export const QUEUE_FULL: ProofCause = { proofIn: 1, limit: undefined }

/** Whom a proof is for: it is good for this email address and this client alone. */
interface Prover {
  email: string
  client: Pick<Client, 'address' | 'proof'>
}

/** The challenge that the header `Hookline-Proof` answers, or nothing where it answers none. `now` in milliseconds. */
export async function checkProof(
  keys: TokenKey[],
  prover: Prover,
  now: number,
): Promise<AnsweredChallenge | undefined> {
  const { proof = '' } = prover.client
  const [, challenge] = /^([\w-]{1,100})\.[\w-]{1,40}$/.exec(proof) ?? []
  if (challenge === undefined) return undefined
  const digest = crypto.createHash('sha256').update(proof).digest()
  if (digest.readUInt32BE(0) >>> (32 - PROOF_BITS) !== 0) return undefined
  return await checkChallenge(keys, await purposeOf(prover), challenge, now)
}

/** 429 that asks for a proof, with a puzzle, and says when none may be needed. `now` in milliseconds. */
export async function proofNeeded(
  keys: TokenKey[],
  prover: Prover,
  { proofIn, limit }: ProofCause,
  now: number,
): Promise<AppError> {
  const challenge = await makeChallenge(keys, await purposeOf(prover), now)
  const message =
    'Too many logins fail right now. Send the request again with the header Hookline-Proof, which answers "puzzle", or wait.'
  return new AppError(429, 'proof_needed', message, {
    headers: tooManyRequests(proofIn, message, limit).headers,
    details: { puzzle: { challenge, bits: PROOF_BITS } },
  })
}

async function purposeOf({ email, client }: Prover) {
  return { use: 'proof', text: `log in ${await addressDigest(email)} ${client.address ?? 'unknown'}` } as const
}
